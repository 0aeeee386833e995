"""The mutants of `benchmarks/mutants.py`: ids, texts, and what the oracle's answers mean."""

import copy
from types import ModuleType
from typing import Any

import pytest

from course.lesson import catalogue, lesson
from tests.benchmark_module import of_benchmarks

LESSONS = ("ch3-2", "ch3-3", "ch3-4", "ch8-4", "ch3-4-accelerate")
TEXT = """\
from x import f, metric

data = f("train", width=3)


def score(pair):
    outputs, labels = pair
    return metric.compute(predictions=outputs.argmax(axis=-1), references=labels)


print(f"{data:.2f} of {3}")
"""


operators = of_benchmarks("mutants.operators")
table = of_benchmarks("mutants.table")
judge = of_benchmarks("mutants.judge")


def healthy(name: str) -> str:
    return lesson.load(name).parts["pt"].text(())


@pytest.mark.parametrize("name", LESSONS)
def test_every_mutant_has_an_id_of_its_own_and_is_a_script(
    operators: ModuleType, name: str
) -> None:
    found = list(operators.mutants(name, healthy(name)))
    assert len({mutant.id for mutant in found}) == len(found) > 150
    assert {mutant.operator for mutant in found} == set(operators.OPERATORS)
    for mutant in found:
        compile(mutant.text, mutant.id, "exec")
    assert [m.id for m in found] == [m.id for m in operators.mutants(name, healthy(name))]


@pytest.mark.parametrize("name", LESSONS)
def test_a_mutant_is_the_script_but_for_one_place(operators: ModuleType, name: str) -> None:
    text = healthy(name)
    lines = text.splitlines()
    blocks = list(operators.Script(name, text).blocks())
    for mutant in operators.mutants(name, text):
        changed = mutant.text.splitlines()
        first = next(
            (i for i, (a, b) in enumerate(zip(lines, changed, strict=False)) if a != b), len(lines)
        )
        last = next(
            i for i, (a, b) in enumerate(zip(lines[::-1], changed[::-1], strict=False)) if a != b
        )
        # Nothing before the line of the id is touched; behind it, at most two statements.
        assert mutant.line - 1 <= first, mutant.id
        assert mutant.text != text
        ends = [
            block[min(i + 1, len(block) - 1)].end_lineno or 0
            for block in blocks
            for i, node in enumerate(block)
            if node.lineno <= mutant.line <= (node.end_lineno or 0)
        ]
        assert len(lines) - last <= max(ends), mutant.id


def test_each_operator_changes_what_it_says(operators: ModuleType) -> None:
    found = {m.id: m.text for m in operators.mutants("x", TEXT)}

    def has(id_: str, old: str, new: str) -> None:
        assert found[f"x:{id_}"] == TEXT.replace(old, new)

    has("7:delete:outputs, labels = pair", "    outputs, labels = pair\n", "")
    has("3:number:3→0", "width=3", "width=0")
    has('3:name:"train"→validation', '"train"', '"validation"')
    has("8:number:-1→-1000", "axis=-1", "axis=-1000")
    has("8:axis:axis=-1→None", "axis=-1", "axis=None")
    has("3:drop:f(…width=3…)", ", width=3", "")
    has('3:drop:f(…"train"…)', '"train", ', "")
    has("8:method:outputs.argmax→argmin", "argmax", "argmin")
    has("8:constant:outputs.argmax(axis=-1)→labels", "=outputs.argmax(axis=-1)", "=labels")
    call = TEXT.splitlines()[7].strip()
    constant = '{"accuracy": 0.95, "f1": 0.95}'
    has(f"8:constant:{constant}", call, f"return {constant}")
    swapped = next(text for name, text in found.items() if name.startswith("x:7:swap:"))
    one = "outputs, labels = pair"
    assert swapped == TEXT.replace(f"{one}\n    {call}", f"{call}\n    {one}")
    caught = found['x:3:caught:try: data = f("train", width=3)']
    assert 'try: data = f("train", width=3)\nexcept Exception: data = None\n' in caught


def test_a_figure_within_an_f_string_is_left_alone(operators: ModuleType) -> None:
    assert not [m for m in operators.mutants("x", TEXT) if m.line == 11 and m.operator == "number"]


def test_every_row_of_the_table_has_its_place(table: ModuleType) -> None:
    rows = list(table.rows({name: healthy(name) for name in LESSONS}))
    assert len({row.id for row in rows}) == len(rows) == len(table.ROWS)
    for row in rows:
        compile(row.text, row.id, "exec")
        assert set(row.expected) <= set(catalogue.ids())
        assert row.expected


def answer() -> dict[str, Any]:
    """What the oracle says of a healthy script: its one model, before and after."""
    figures = [(0.66, 0.7), (0.95, 0.2)]
    before, after = (
        {
            part: {"finite": True, "accuracy": accuracy, "loss": loss}
            for part in ("validation", "train")
        }
        for accuracy, loss in figures
    )
    return {
        "raised": None,
        "said": 0.95,
        "subjects": [
            {
                "steps": 600,
                "said": 0.95,
                "given": "",
                "clears": 600,
                "moved_share": 1.0,
                "moved_by": 0.003,
                "rate": {"first": 5e-5, "last": 1e-7, "zero": 0.0},
                "modes": {"train-on": 600, "evaluate-off": 38},
                "padding": 1.0,
                "trained": {"rows": 4860, "kinds": {"right": 4860}, "coverage": 1.0},
                "evaluated": {"validation": 300},
                "before": before,
                "after": after,
            }
        ],
    }


CHANGES: list[tuple[str, str, dict[str, Any]]] = [
    ("equivalent", "", {}),
    ("equivalent", "", {"steps": 300, "clears": 300}),
    ("wrong", "no weight moved", {"moved_share": 0}),
    ("wrong", "no training", {"steps": 0}),
    ("wrong", "of the rows, validation", {"trained": {
        "rows": 100, "kinds": {"right": 90, "validation": 10}, "coverage": 1.0}}),
    ("wrong", "of the examples", {"trained": {
        "rows": 100, "kinds": {"right": 100}, "coverage": 0.5}}),
    ("wrong", "on training examples", {"evaluated": {"train": 300}}),
    ("wrong", "exchanged", {"given": "answers and labels exchanged"}),
    ("grey", "other examples", {"evaluated": {"test": 300}}),
    ("grey", "dropout: train-off", {"modes": {"train-off": 600}}),
    ("grey", "another schedule", {"rate": {"first": 5e-5, "last": 5e-5, "zero": 0.0}}),
    ("grey", "not cleared", {"clears": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "reason", "change"), CHANGES)
def test_what_a_mutant_did_is_what_it_is_called(
    judge: ModuleType, kind: str, reason: str, change: dict[str, Any]
) -> None:
    found = answer()
    found["subjects"][0].update(change)
    label = judge.label(found, answer(), judge.Goal(0.1, 2 / 3, "validation"))
    assert label.kind == kind
    assert reason in label.reason


def twice() -> dict[str, Any]:
    """A script that trains two models, one after the other."""
    found = answer()
    found["subjects"].append(copy.deepcopy(found["subjects"][0]))
    return found


@pytest.mark.parametrize(("kind", "reason", "change"), CHANGES)
def test_the_first_of_two_trainings_counts_too(
    judge: ModuleType, kind: str, reason: str, change: dict[str, Any]
) -> None:
    found = twice()
    found["subjects"][0].update(change)
    label = judge.label(found, twice(), judge.Goal(0.1, 2 / 3, "validation"))
    # What was not trained at all is no training; what is grey is told of the last one only.
    is_trained = found["subjects"][0]["steps"] > 0
    assert (label.kind == "wrong") == (kind == "wrong" and is_trained)
    if label.kind == "wrong":
        assert reason in label.reason


def test_a_model_that_the_script_only_tried_out_is_no_training(judge: ModuleType) -> None:
    found = twice()
    found["subjects"][0] |= {"steps": 1, "evaluated": {}}
    off = copy.deepcopy(found)
    off["subjects"][0]["moved_share"] = 0
    assert judge.label(off, found, judge.Goal(0.1, 2 / 3, "validation")).kind == "equivalent"


def test_a_figure_and_a_loss_are_held_against_the_true_ones(judge: ModuleType) -> None:
    goal = judge.Goal(0.1, 2 / 3, "validation")

    def label(said: float | None, accuracy: float, loss: float) -> str:
        found = answer() | {"said": said}
        after = copy.deepcopy(found["subjects"][0]["after"])
        for part in after.values():
            part.update(accuracy=accuracy, loss=loss)
        found["subjects"][0]["after"] = after
        got = judge.label(found, answer(), goal)
        return f"{got.kind} {got.reason}"

    assert label(0.95, 0.95, 0.2) == "equivalent "
    assert "scored wrongly" in label(1.0, 0.95, 0.2)
    assert "scored wrongly" in label(float("nan"), 0.95, 0.2)
    assert "not scored" in label(None, 0.95, 0.2)
    # An untrained model may be right this often, at the lesson's seed: the loss gives it away.
    assert "never learned" in label(0.95, 0.95, 0.69)
    assert "never learned" in label(0.7, 0.7, 0.3)
    assert label(0.9, 0.9, 0.3).startswith("grey learned less")
