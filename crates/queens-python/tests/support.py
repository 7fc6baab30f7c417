"""What several tests need: Python in a process of its own, and the command queens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

# Longer than anything here takes. It is there to turn a hang into a failure.
PATIENCE = 120


def python(program: str, *arguments: str) -> tuple[str, str]:
    """Runs a program in a fresh interpreter and returns what it wrote, to both outputs."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE)
    # Not as text: that would turn the carriage returns of a bar into new lines.
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, out + err
    return out, err


def queens(*arguments: str | Path) -> str:
    """What the command queens prints. `make test` has built it by now."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = target / "release" / "queens"
    assert program.exists(), f"{program} is missing; `make` builds it"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout
