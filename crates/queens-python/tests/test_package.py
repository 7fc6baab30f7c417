"""The package as a whole: types, stubs, the wheel in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE, ROOT

import queenside

PACKAGE = ROOT / "crates" / "queens-python"
CONFIG = PACKAGE / "pyproject.toml"


def run(*command: str | Path) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=PACKAGE, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_package_and_tests_pass_the_strict_type_checker() -> None:
    assert "no issues found" in run(sys.executable, "-m", "mypy")


def test_stubs_and_module_agree() -> None:
    told = run(
        sys.executable, "-m", "mypy.stubtest", "queenside", "--mypy-config-file", CONFIG
    )
    assert "no issues found" in told


def test_types_of_results_are_known_to_who_calls(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import queenside\n"
        "reveal_type(queenside.count(8))\n"
        "reveal_type(next(queenside.solutions(8)).columns)\n"
        "reveal_type(queenside.solve(8, queens=5))\n"
        "reveal_type(queenside.known(8))\n"
        "queenside.count('8')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE)
    for revealed in (
        'is "int"',
        'is "tuple[int, ...]"',
        'is "queenside._queenside.Solution | queenside._queenside.Placement | None"',
        "queenside._types.Known",
        'program.py:6: error: Argument 1 to "count" has incompatible type "str"',
    ):
        assert revealed in done.stdout, done.stdout


def test_everything_public_is_exported() -> None:
    assert sorted(queenside.__all__) == queenside.__all__
    assert all(hasattr(queenside, name) for name in queenside.__all__)
    public = {name for name in dir(queenside) if not name.startswith("_")}
    assert public == set(queenside.__all__) - {"__version__"}


def test_the_wheel_needs_nothing_else(tmp_path: Path) -> None:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    wheels = list((target / "python" / "wheels").glob("queenside-*-abi3-*.whl"))
    assert len(wheels) == 1, "`make python` builds the wheel"
    fresh = tmp_path / "fresh"
    run(sys.executable, "-m", "venv", "--without-pip", fresh)
    python = fresh / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
    run(*pip, "install", "--quiet", "--no-index", *wheels)
    assert run(python, "-c", "import queenside; print(queenside.count(16))") == "14772512\n"
    files = run(*pip, "show", "--files", "queenside")
    for file in ("py.typed", "_queenside.pyi", "_queenside.abi3.so", "LICENSE-MIT"):
        assert file in files


@pytest.mark.parametrize("name", ["LICENSE-MIT", "LICENSE-APACHE"])
def test_licences_are_those_of_the_repository(name: str) -> None:
    assert (PACKAGE / name).read_bytes() == (ROOT / name).read_bytes()
