//! `make install` and `make uninstall`: what lands under PREFIX works there, and goes away again.
//!
//! Nothing is built here: make is told that the program is up to date, and which one it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn make(target: &str, settings: &[String]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new("make")
        .current_dir(root)
        .args(["--no-print-directory", "--old-file=all", target])
        .arg(format!("RELEASE={}", env!("CARGO_BIN_EXE_queens")))
        .args(settings)
        .output()
        .expect("make runs");
    assert!(
        output.status.success(),
        "make {target} {settings:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// All files below a folder, sorted, relative to it.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below the folder");
                found.push(name.to_str().expect("plain names").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn folder(name: &str) -> PathBuf {
    // The name has a blank, as many home folders do.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("install {name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn answer(program: &Path, args: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(program).args(args).output().expect("it runs");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("the answer is UTF-8")
}

#[test]
fn what_is_installed_under_a_prefix_works_and_can_be_taken_away() {
    let prefix = folder("prefix");
    let settings = [format!("PREFIX={}", prefix.display())];
    make("install", &settings);
    let queens = prefix.join("bin/queens");
    assert_eq!(answer(&queens, &["count", "8"]), "92\n");
    let course = answer(&prefix.join("bin/Queens"), &["-v", "4"]);
    assert_eq!(
        course,
        "(2, 4, 1, 3)\n(3, 1, 4, 2)\n4-Queens has 2 solutions\n"
    );

    // A manual page for the program and for every verb that its help names.
    let page = |name: &str| {
        let path = prefix.join("share/man/man1").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    assert!(page("queens.1").contains(".TH queens 1"));
    let help = answer(&queens, &["--help"]);
    let (_, verbs) = help.split_once("Commands:\n").expect("a list of verbs");
    let verbs = verbs.lines().take_while(|line| !line.is_empty());
    let verbs: Vec<&str> = verbs
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(verbs.len() > 20, "{verbs:?}");
    for verb in &verbs {
        let page = page(&format!("queens-{verb}.1"));
        assert!(page.contains("Examples:"), "{verb}");
    }

    // The completions of bash are loaded and used; the others are what the program prints.
    let share = prefix.join("share");
    let bash = Command::new("bash")
        .arg("-c")
        .arg(
            "source \"$1\" && complete -p queens && COMP_WORDS=(queens approx) COMP_CWORD=1 && \
             _queens queens approx queens && echo \"${COMPREPLY[@]}\"",
        )
        .arg("bash")
        .arg(share.join("bash-completion/completions/queens"))
        .output()
        .expect("bash runs");
    let said = String::from_utf8_lossy(&bash.stdout);
    assert!(
        bash.status.success() && said.ends_with("\napproximate\n"),
        "{said}"
    );
    for (shell, file) in [
        ("zsh", "zsh/site-functions/_queens"),
        ("fish", "fish/vendor_completions.d/queens.fish"),
    ] {
        let script = std::fs::read_to_string(share.join(file)).expect("a script");
        assert_eq!(script, answer(&queens, &["completions", shell]));
    }

    make("uninstall", &settings);
    assert_eq!(files(&prefix), Vec::<String>::new());
}

#[test]
fn who_makes_packages_installs_the_same_files_below_another_root() {
    let root = folder("root");
    let prefix = folder("plain");
    make("install", &[format!("PREFIX={}", prefix.display())]);
    let settings = [
        format!("DESTDIR={}", root.display()),
        "PREFIX=/usr".to_owned(),
    ];
    make("install", &settings);
    assert_eq!(files(&root.join("usr")), files(&prefix));
    assert!(files(&root).iter().all(|file| file.starts_with("usr/")));
    assert_eq!(answer(&root.join("usr/bin/queens"), &["count", "6"]), "4\n");
    // Somebody else's files stay.
    std::fs::write(root.join("usr/bin/other"), "").expect("a file");
    make("uninstall", &settings);
    assert_eq!(files(&root), ["usr/bin/other"]);
}
