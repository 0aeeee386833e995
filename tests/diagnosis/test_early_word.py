"""What is told before a script with a ledger is over: only what the rest of it can't mend."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from course.diagnosis.user_script import EarlyWord, UserScript
from course.judge.script_verdict import judge_script
from course.notebook.cells import notebook, script
from course.runs.record import RunRecord
from tests.ledgers import HEALTHY, event

NO_TEXT = UserScript(None)


def told(*events: dict[str, Any], written: UserScript = NO_TEXT) -> list[str]:
    """The faults that are told, one after the other."""
    found: list[str] = []
    word = EarlyWord(lambda naming: found.append(naming.fault.id), written)
    for each in events:
        word.hear({**each, "over": False})
    return found


def studied(times: int) -> dict[str, Any]:
    """A ledger whose loss is upside down, in so many studies."""
    found = copy.deepcopy(HEALTHY)
    found["studies"] = [each for each in found["studies"] if each["kind"] == "step"][:times]
    for each in found["studies"]:
        each["found"] = {**each["found"], "curvature": [-1.0, -1.0]}
    return found


@pytest.mark.parametrize(
    ("events", "faults"),
    [
        ([event()], []),
        ([event(gradients={"left": 1.9})], ["gradients-not-cleared"]),
        ([event(gradients={"left": 1.9})] * 2, ["gradients-not-cleared"]),
        # One batch may be odd; two of them are no accident.
        ([studied(1)], []),
        ([studied(1), studied(2)], ["loss-negated"]),
        # What rows were asked in is done before the training goes on.
        ([event(passes={"training": True, "dropping": 1})], ["dropout-in-evaluation"]),
    ],
)
def test_what_is_settled_is_told_once(events: list[dict[str, Any]], faults: list[str]) -> None:
    assert told(*events) == faults


def test_what_is_not_settled_is_certain_at_the_end() -> None:
    (naming,) = judge_script(RunRecord("finished", ledger=studied(1))).namings
    assert (naming.fault.id, naming.certain, naming.early) == ("loss-negated", True, False)


def test_the_cells_of_a_notebook_are_the_text_and_have_the_lines(tmp_path: Path) -> None:
    sources = ["import numpy as np", "# two\ny = x\nz = 1"]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": s} for s in sources]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    made = script.of(notebook.read(text, "a.ipynb"))
    written = UserScript(tmp_path / "a.ipynb", cells=made)
    assert [line for line in written.text.splitlines() if line] == [
        *("# %% [1]", "import numpy as np", "# %% [2]", "# two", "y = x", "z = 1")
    ]
    line = written.text.splitlines().index("y = x") + 1
    found = studied(2)
    for each in (*found["studies"], *found["losses"]):
        each["line"] = line
    words: list[str] = []
    EarlyWord(lambda naming: words.append(naming.evidence), written).hear(found)
    assert "Line [2]:2: " in words[0]
