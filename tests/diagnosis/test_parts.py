"""What a diagnosis is put together from: lines, places, one batch, the checklist."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from course.diagnosis import checklist, one_batch, stopgap
from course.diagnosis.finding import ScriptFinding, in_order
from course.diagnosis.line_map import LineMap
from course.diagnosis.text import place
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.lines import LEADS, find
from course.diagnosis.text.script_text import ScriptText
from course.lesson.catalogue import catalogue
from course.runs.record import Frame, Raised, RunRecord, Training
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


SCRIPTS = tomllib.loads(Path(__file__).with_name("places.toml").read_text("utf-8"))["script"]


def test_a_fault_has_the_lines_that_may_have_to_be_mended() -> None:
    """All of them in one test: they take no time, and the fast tier has some cases of many."""
    for script in SCRIPTS:
        text = ScriptText.read("train.py", script["text"])
        for row in script["faults"]:
            known = (row.get("message", ""), row.get("state", {}), row.get("arguments", ()))
            found = find(text, row["fault"], Clue(row.get("told", ()), *known))
            lines, first = list(found.lines), row.get("first", [])
            told = (script["about"], row, lines)
            assert lines == row.get("lines", lines), told
            assert lines[: len(first)] == first, told
            assert set(row.get("among", ())) <= set(lines), told
            assert found.gave == row.get("gave", ""), told


def test_a_place_may_be_the_first_of_its_kind() -> None:
    assert place.lines(
        ScriptText.read("train.py", "net = Dense(8)\nnet = Dense(1)\n"), "call Dense$ first"
    ) == [1]


def test_only_faults_of_the_catalogue_have_places_and_only_such_as_are_known() -> None:
    every = place.listed()
    for listed in (every.places, every.fits, every.trainers, every.before):
        assert listed.keys() <= catalogue().keys()
        asked = {each for places in listed.values() for each in places} - LEADS.keys()
        assert {each.split(" ")[0] for each in asked} <= place.KINDS.keys()


def failed(line: int, type_: str, message: str, near: tuple[str, ...] = ()) -> Raised:
    own = Frame("__main__", "train.py", "<module>", line, "", script=True)
    return Raised(f"builtins.{type_}", (), message, (own,), near=near)


@pytest.mark.parametrize(
    ("code", "error", "edited"),
    [
        (
            "loss.backwards()",
            failed(
                1, "AttributeError", "'Tensor' object has no attribute 'backwards'", ("backward",)
            ),
            "loss.backward()",
        ),
        (
            'x = batch["imput_ids"]',
            failed(1, "KeyError", "'imput_ids'", ("input_ids",)),
            "x = batch['input_ids']",
        ),
        (
            "a = f(x, shufle=True, b=2)",
            failed(1, "TypeError", "f() got an unexpected keyword argument 'shufle'"),
            "a = f(x, b=2)",
        ),
        (
            "a = f(shufle=True, b=2)",
            failed(1, "TypeError", "f() got an unexpected keyword argument 'shufle'"),
            "a = f(b=2)",
        ),
        (
            "for x in y:\n    loss.item().backward()",
            failed(2, "AttributeError", "'float' object has no attribute 'backward'"),
            "for x in y:\n    loss.backward()",
        ),
        # No other name is near, or it is a number that is meant: left as it is.
        ("a.zzz()", failed(1, "AttributeError", "'A' object has no attribute 'zzz'"), "a.zzz()"),
        ("print(a.item())", failed(1, "RuntimeError", "does not require grad"), "print(a.item())"),
        ("a = 1", failed(9, "KeyError", "'a'", ("b",)), "a = 1"),
    ],
)
def test_a_stopgap_is_what_the_failure_suggests(code: str, error: Raised, edited: str) -> None:
    assert stopgap.edited(code, "train.py", [error]) == edited


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
        figures={one_batch.REPEATED: 1.0},
    )


def test_one_batch_is_learned_where_its_loss_has_halved() -> None:
    falling = record(*(1.0 - n / 12 for n in range(12)))
    assert one_batch.why_not_learned(falling) == ""
    still = one_batch.why_not_learned(record(*[1.0] * 12))
    assert still == "the loss of one batch went from 1 to 1 in 12 steps"
    assert one_batch.why_not_learned(record(1.0, 0.1)) == checklist.NO_LOADER
    # A script that takes its batches out of tensors is trained on all of them.
    tensors = replace(record(*[1.0] * 12), figures={})
    assert one_batch.why_not_learned(tensors) == checklist.NO_LOADER


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


def test_what_the_text_can_be_mended_of_is_told_at_each_of_its_places() -> None:
    seen = ScriptFinding("renamed-argument", True, "no `tokenizer`", 27, fix="@@")
    again = replace(seen, line=63)
    run = ScriptFinding("renamed-argument", True, "unexpected keyword argument", 27)
    doubtful = ScriptFinding("length-mismatch", False, "pads nothing", 15, fix="@@")
    certain = ScriptFinding("length-mismatch", True, "expected sequence of length 26", 40)
    told = in_order([run, again, seen, doubtful, certain])
    assert [(f.fault, f.line) for f in told] == [
        ("renamed-argument", 27),
        ("renamed-argument", 63),
        ("length-mismatch", 40),
    ]


def test_what_a_script_lacks_is_put_in_so_that_it_trains() -> None:
    loop = "for x in data:\n    loss = f(x)\n    print(loss)\n    optimizer.step()\n"
    with_backward = loop.replace("    optimizer", "    loss.backward()\n    optimizer")
    assert stopgap.edited(loop, "a.py", (), ["backward-missing"]) == with_backward
    alone = "from transformers import Trainer\nt = Trainer(a)\nprint(t.evaluate())\n"
    trained = alone.replace("print", "t.train()\nprint")
    assert stopgap.edited(alone, "a.py", (), ["training-missing", "nan-loss"]) == trained
    other = "model.evaluate()\n"
    assert stopgap.edited(other, "a.py", (), ["training-missing"]) == other


def test_what_a_run_has_confirmed_is_mended_as_the_text_had_it() -> None:
    possible = ScriptFinding("size-1-array", certain=False, evidence="", line=3, fix="the diff")
    shown = ScriptFinding("size-1-array", certain=True, evidence="TypeError", line=5)
    (told,) = in_order([possible, shown])
    assert (told.certain, told.line, told.fix) == (True, 5, "the diff")


def test_a_metric_that_is_no_dict_is_mended_where_it_is_returned() -> None:
    text = """def score_metrics(found):
    right = found.predictions.argmax(-1) == found.label_ids
    return right.mean()

trainer = Trainer(model, compute_metrics=score_metrics)
trainer.train()
"""
    script = ScriptText.read("train.py", text)
    clue = Clue((6,), "'float' object does not support item assignment")
    assert find(script, "metrics-not-a-dict", clue).lines[:2] == (3, 1)
