"""The examples of every docstring are run, and every public name has some."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import queenside

README = Path(__file__).parents[1] / "README.md"


def documented() -> Iterator[tuple[str, object]]:
    """Every public function, class, method and attribute of the package."""
    yield "queenside", queenside
    for name in queenside.__all__:
        public = getattr(queenside, name)
        if isinstance(public, str):
            continue
        yield name, public
        is_record = inspect.isclass(public) and issubclass(public, tuple)
        if not inspect.isclass(public) or is_record:
            continue
        for member, value in vars(public).items():
            if not member.startswith("_"):
                yield f"{name}.{member}", value


@pytest.mark.parametrize(("name", "public"), list(documented()), ids=lambda value: str(value)[:40])
def test_examples_show_what_happens(name: str, public: object) -> None:
    docstring = inspect.getdoc(public)
    assert docstring, f"{name} has no docstring"
    names = {public: getattr(queenside, public) for public in queenside.__all__}
    test = doctest.DocTestParser().get_doctest(docstring, names, name, None, None)
    is_record = inspect.isclass(public) and issubclass(public, tuple)
    assert test.examples or is_record, f"{name} has no example"
    told: list[str] = []
    runner = doctest.DocTestRunner()
    runner.run(test, out=told.append)
    assert runner.failures == 0, "".join(told)


def test_the_readme_shows_what_happens() -> None:
    text = README.read_text()
    test = doctest.DocTestParser().get_doctest(text.replace("```", "\n"), {}, "README", None, None)
    assert len(test.examples) > 4
    told: list[str] = []
    runner = doctest.DocTestRunner()
    runner.run(test, out=told.append)
    assert runner.failures == 0, "".join(told)
