# The front door. `make` builds the course program Queens, and with it the command queens, which is
# the same program. `make test` installs what the tests need and runs them all. Cargo does the work;
# see CONTRIBUTING.md for its commands.

CARGO ?= cargo
RELEASE = target/release/queens

.PHONY: all web book test memcheck bench install clean FORCE

all: page Queens

# The page for `queens serve`, which the program contains if it is there. If the page cannot be
# built (because there is no WebAssembly target), the program is built without it and says so.
.PHONY: page
page:
	@scripts/build-web || echo "make: the page could not be built; queens serve will say so" >&2

# The page as a folder for any web server: web/dist.
web:
	scripts/build-web

# The documents as a book: target/book/index.html. If mdBook is not found, it is installed into
# target/mdbook.
book:
	scripts/build-book

# One executable with two names: it looks at the name by which it was called. This is a copy, so
# that it survives `cargo clean` and can be carried elsewhere.
Queens: $(RELEASE)
	cp $(RELEASE) $@.new && mv $@.new $@

# The Python package queenside, as a wheel in target/python/wheels, and installed in the
# virtual environment target/python/venv.
.PHONY: python
python:
	scripts/build-python

# Cargo knows best what is out of date.
$(RELEASE): FORCE
	$(CARGO) build --locked --release --bin queens
FORCE:

# Everything that needs no installed package: no browser, no NATS server, no other assembler. These
# test files run only our own program and the standard tools of any Unix. The others are left to
# `make test`, where a missing tool is a failure. Always the whole workspace, so that each
# dependency is compiled once.
CHECKED = absent boards book cli completion course dependencies devices docs engines events \
	forecast formats golden install links newcomer order properties replay solve traces two_colour \
	two_colour_identity
# The module for Python has no tests in Rust.
RUST = --workspace --exclude queens-python
.PHONY: check
check:
	$(CARGO) fmt --all --check
	rustfmt --check programs/*.rs
	$(CARGO) clippy --locked --release --workspace --all-targets -- -D warnings
	$(CARGO) test --locked --release $(RUST) --lib --bins $(CHECKED:%=--test %)
	$(CARGO) test --locked --release $(RUST) --test campaign -- counting exchange
	$(CARGO) test --locked --release $(RUST) --doc

# Many tests mostly wait for other processes, so there are two threads for each core.
test: export RUST_TEST_THREADS ?= $(shell expr 2 \* $$(nproc))
test:
	scripts/setup-tests
	scripts/build-web
	$(CARGO) test --locked --release --workspace
	scripts/build-python --test
	$(CARGO) test --locked --release -p queens-cli --no-default-features --test absent

# The assignment's check for memory errors. Valgrind fails on any invalid access and on every leak.
# For Queens a leak is any block that is not freed by the end, reachable or not; only two blocks of
# Rust's own runtime are excepted. For queens it is any block that is lost. Blocks that a static
# variable still points at, such as the default value of an option or the table of signal handlers,
# live as long as the program by intent. The sizes are small because valgrind slows programs down
# some twentyfold.
VALGRIND = valgrind --quiet --error-exitcode=99 --leak-check=full \
	--suppressions=scripts/memcheck.supp
STRICT = $(VALGRIND) --show-leak-kinds=all --errors-for-leak-kinds=all
LOST = $(VALGRIND) --show-leak-kinds=definite,indirect,possible \
	--errors-for-leak-kinds=definite,indirect,possible
memcheck: Queens
	scripts/setup-tests
	$(STRICT) ./Queens 8
	$(STRICT) ./Queens -v 6
	$(STRICT) ./Queens blah; test $$? -eq 2
	$(LOST) $(RELEASE) list 7 --format json > target/memcheck.txt
	$(LOST) $(RELEASE) check target/memcheck.txt
	$(LOST) $(RELEASE) list 7 --fundamental > target/memcheck.txt
	$(LOST) $(RELEASE) check target/memcheck.txt
	for engine in $$($(RELEASE) engines | cut -d' ' -f1); do \
		echo $$engine; $(LOST) $(RELEASE) count 8 --engine $$engine || exit; \
	done

# Tries every attack of docs/trust.md once more; takes some minutes.
.PHONY: attack
attack:
	scripts/setup-tests
	scripts/build-web
	scripts/attack

bench:
	$(CARGO) bench --locked --workspace

# Installs under PREFIX (make install PREFIX=~/.local), or for package makers under DESTDIR: the
# command and the course program, manual pages, completions. `make uninstall` with the same values
# removes all of it.
PREFIX ?= /usr/local
bin = $(DESTDIR)$(PREFIX)/bin
man = $(DESTDIR)$(PREFIX)/share/man/man1
bash_completions = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zsh_completions = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fish_completions = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

install: all
	install -d "$(bin)" "$(man)" "$(bash_completions)" "$(zsh_completions)" "$(fish_completions)"
	install -m 755 $(RELEASE) "$(bin)/queens"
	ln -sf queens "$(bin)/Queens"
	$(RELEASE) man --dir "$(man)"
	$(RELEASE) completions bash > "$(bash_completions)/queens"
	$(RELEASE) completions zsh > "$(zsh_completions)/_queens"
	$(RELEASE) completions fish > "$(fish_completions)/queens.fish"

.PHONY: uninstall
uninstall:
	rm -f "$(bin)/queens" "$(bin)/Queens" "$(man)/queens.1" "$(man)"/queens-*.1
	rm -f "$(bash_completions)/queens" "$(zsh_completions)/_queens" "$(fish_completions)/queens.fish"

clean:
	$(CARGO) clean
	rm -f Queens Queens.new
	rm -rf web/dist
