"""What a diagnosis is put together from: lines, places, one batch, the checklist."""

from dataclasses import replace

import pytest

from course.diagnosis import checklist, one_batch
from course.diagnosis.finding import ScriptFinding, in_order
from course.diagnosis.line_map import LineMap
from course.lesson.catalogue import catalogue
from course.reading import place
from course.reading.script_text import ScriptText
from course.runs.record import RunRecord, Training
from course.runs.vital_signs import DataSigns, LossSigns, ModelSigns, OutcomeSigns, VitalSigns

TEXT = """import torch
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Softmax(dim=-1))
optimizer = torch.optim.Adam(
    model.parameters(),
    lr=0.5,
)
for x, y in loader:
    optimizer.zero_grad()
    loss_fn(model(x), y).backward()
    optimizer.step()
"""


def test_a_line_behind_an_inserted_one_is_told_as_the_user_has_it() -> None:
    mended = TEXT.replace("import torch\n", "import torch\nfrom torch import nn\n").replace(
        "lr=0.5", "lr=0.1"
    )
    lines = LineMap(TEXT, mended)
    assert [lines.back(n) for n in (1, 3, 4, 6, 11)] == [1, 2, 3, 5, 10]


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ("learning-rate-too-high", 5),
        ("parameters-not-in-optimizer", 3),
        ("gradients-cleared-before-step", 8),
        ("softmax-before-loss", 2),
        ("size-1-array", None),
        ("evaluation-on-training-data", None),
    ],
)
def test_a_silent_fault_has_a_line(fault: str, line: int | None) -> None:
    assert place.find(ScriptText.read("train.py", TEXT), fault) == line


def test_only_faults_of_the_catalogue_that_raise_nothing_havelisted() -> None:
    assert place.listed().keys() <= catalogue().keys()


def record(*losses: float) -> RunRecord:
    signs = VitalSigns(
        ModelSigns(passes=10, steps=10),
        LossSigns(finite=1.0),
        data=DataSigns(rows=100, batch_size=8),
        outcome=OutcomeSigns(rows=10),
    )
    return RunRecord(
        "finished",
        training=Training(steps=10),
        losses=tuple(enumerate(losses, start=1)),
        vitals=signs,
        seconds=1.0,
    )


def test_one_batch_is_learned_where_its_loss_has_halved() -> None:
    falling = one_batch.learned(record(*(1.0 - n / 12 for n in range(12))))
    assert falling is not None
    assert falling.is_learned
    still = one_batch.learned(record(*[1.0] * 12))
    assert still is not None
    assert not still.is_learned
    assert one_batch.learned(record(1.0, 0.1)) is None


def test_of_each_part_it_is_told_whether_it_was_checked() -> None:
    checked, not_checked = checklist.held(record(1.0), [])
    assert [check for check, _stage in checked] == [
        *(part.check for part in checklist.PARTS),
        checklist.VITAL_SIGNS,
    ]
    assert not_checked == []
    nothing = checklist.held(RunRecord("finished"), [])
    assert nothing[0] == []
    assert len(nothing[1]) == len(checklist.PARTS) + 1


def test_a_part_with_a_fault_is_neither_in_order_nor_unchecked() -> None:
    found = ScriptFinding("target-out-of-bounds", True, "IndexError: Target 2 is out of bounds.", 9)
    checked, not_checked = checklist.held(record(1.0), [found])
    names = {check for check, _ in (*checked, *not_checked)}
    assert "model-takes-a-batch" not in names
    assert "evaluation" in names
    doubtful, _not = checklist.held(record(1.0), [replace(found, certain=False)])
    assert ("model-takes-a-batch", "model") in doubtful


def test_each_fault_is_told_once_for_certain_and_in_the_order_of_the_pipeline() -> None:
    found = [
        ScriptFinding("size-1-array", True, "c", 30),
        ScriptFinding("target-out-of-bounds", False, "b", 9),
        ScriptFinding("target-out-of-bounds", True, "b", 9),
        ScriptFinding("data-not-shuffled", False, "a"),
    ]
    told = in_order(found)
    assert [(f.fault, f.certain) for f in told] == [
        ("target-out-of-bounds", True),
        ("size-1-array", True),
        ("data-not-shuffled", False),
    ]
