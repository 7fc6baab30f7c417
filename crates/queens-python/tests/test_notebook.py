"""examples/queens.ipynb runs, and shows what it says it shows.

The notebook is kept with its outputs, so that it can be read without being run. Here it is run
again, and every text must be the one that is kept, except in cells with the tag `time`. Of
pictures and pages only the kind must be the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import ROOT

NOTEBOOK = ROOT / "examples" / "queens.ipynb"


def outputs(notebook: Path) -> dict[str, list[Any]]:
    """What each cell shows, by the name of the cell."""
    shown = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] != "code" or "time" in cell["metadata"].get("tags", []):
            continue
        printed: dict[str, str] = {}
        data = []
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                # One print may arrive in several pieces.
                name = output["name"]
                printed[name] = printed.get(name, "") + "".join(output["text"])
            else:
                text = "".join(output["data"]["text/plain"])
                data.append({kind: text for kind in output["data"]})
        shown[cell["id"]] = [printed, *data]
    return shown


def test_the_notebook_runs_and_shows_what_it_shows(tmp_path: Path) -> None:
    import nbconvert
    import nbformat

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    run = nbconvert.preprocessors.ExecutePreprocessor(timeout=120, kernel_name="python3")
    run.preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    again = tmp_path / "again.ipynb"
    nbformat.write(notebook, again)
    kept = outputs(NOTEBOOK)
    assert outputs(again) == kept
    kinds = {kind for shown in kept.values() for part in shown for kind in part}
    assert {"image/svg+xml", "text/html", "text/plain", "stdout"} <= kinds
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert page.count("data:image/svg+xml") >= 5
    assert page.count("<iframe") == 1
