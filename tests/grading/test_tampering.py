"""Whoever reaches for the workings of the run is seen, and no honest script is suspected."""

import random
import time
import tomllib
from pathlib import Path

import pytest

from course.grading.engine import static_checks
from course.grading.engine.static_checks import StaticFinding, find
from course.lesson import lesson

HEAD = """
import evaluate
import torch
import transformers
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
    TrainingArguments,
)

raw = load_dataset("glue", "mnli")
tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased")
args = TrainingArguments("out")


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)


trainer = Trainer(model, args, train_dataset=raw["train"])
"""
LINES = HEAD.count("\n")

PIECES = tomllib.loads(Path(__file__).with_name("tampering.toml").read_text("utf-8"))
HONEST, TAMPERING, UNUSUAL = (PIECES[kind] for kind in ("honest", "tampering", "unusual"))


def whats(text: str) -> list[str]:
    return [finding.what for finding in find(text) if finding.withholds]


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_script_is_not_suspected(name: str) -> None:
    assert find(HEAD + HONEST[name]) == ()


@pytest.mark.parametrize("part", [p for i in lesson.ids() for p in lesson.load(i).parts.values()])
def test_no_version_of_a_lesson_is_suspected(part: lesson.Part) -> None:
    for bugs in part.exercises():
        assert find(part.text(bugs)) == ()


def test_honest_pieces_are_not_suspected_together() -> None:
    pieces = [text for name, text in HONEST.items() if name not in ("star", "own eval")]
    assert find("\n".join([HEAD, *pieces])) == ()


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_seen_and_named(name: str) -> None:
    text, named = TAMPERING[name]
    found = [finding for finding in find(HEAD + text) if finding.withholds]
    assert named in [finding.what for finding in found]
    assert named[0] == "(" or all(
        LINES < finding.line <= LINES + 1 + text.count("\n") for finding in found
    )


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_only_unusual_withholds_nothing(name: str) -> None:
    text, named = UNUSUAL[name]
    found = find(HEAD + text)
    assert [finding.what for finding in found if finding.withholds] == []
    assert named in [finding.what for finding in found if finding.line > LINES]


@pytest.mark.parametrize("name", [n for n, (text, _) in TAMPERING.items() if "*\n" not in text])
def test_it_is_seen_within_functions_and_classes(name: str) -> None:
    text, named = TAMPERING[name]
    inner = (
        HEAD
        + "class Outer:\n  def method(self):\n"
        + "".join(f"    {x}\n" for x in text.split("\n"))
    )
    assert named in whats(inner)


def test_findings_come_in_the_order_of_the_lines() -> None:
    text = "import gc, sys\nx = 1\nsys._getframe()\n\ngc.get_objects()\nexec(x)"
    assert find(text) == (
        StaticFinding(3, "sys._getframe"),
        StaticFinding(5, "gc.get_objects"),
        StaticFinding(6, "exec"),
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_are_those_of_the_file_however_they_end(end: str, mark: str) -> None:
    assert find(mark + end.join(["x = 1", "y = '''", "'''", "exec(x)"])) == (
        StaticFinding(4, "exec"),
    )


def test_there_is_an_end_to_what_is_told() -> None:
    assert len(find("exec(x)\n" * 5_000)) == static_checks.MANY


def test_what_is_told_is_short_and_can_be_printed() -> None:
    (found,) = find(f"{'x' * 5_000}.f_back")
    assert len(found.what) <= static_checks.LONG
    assert all(f.what.isprintable() for f in find("x = '\\x1b[2J course_probe \\u202e'"))


@pytest.mark.parametrize(
    "text", ["def f(:", "x = '", "\0", "x = \ud800", "  x = 1\n y = 2", "é" * 3 + "\0", "1" * 9_000]
)
def test_nothing_is_found_in_what_python_cannot_read(text: str) -> None:
    assert find(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "-" * 50_000 + "1",
        "x = a" + ".b" * 50_000,
        "x = a" + ".b()" * 3_000,
        "x = " + "lambda: " * 20_000 + "1",
        "x = " + "not " * 50_000 + "1",
        "x = " + "1 if a else " * 5_000 + "2",
    ],
    ids=lambda t: t[4:14],
)
def test_what_is_nested_without_end_does_not_get_by(text: str) -> None:
    """Whether Python can read it depends on how deep its stack is at the moment."""
    assert find(text) == (StaticFinding(1, "(((…"),)


@pytest.mark.parametrize(
    "rows",
    [
        ["f(a.b.c)"],
        ["a{0} = b{0} = [a{1}, f(a{1})]", "def f{0}(x):\n    return f{1}(x)", "t.x{0} = f{1}(t)"],
        ["x = [y]", "y = [x]"],
        ["n = a + b", "n = m", "getattr(x, n)", "n = 's'", "open(n)"],
        ["from a import x{0}", "x{1}.a = 1"],
        ["eval(1)", "d[{0}] = Trainer", "d[0].a = x"],
    ],
    ids=lambda rows: rows[0],
)
def test_a_large_script_is_searched_in_seconds(rows: list[str]) -> None:
    text = "\n".join(rows[n % len(rows)].format(n, n - 1) for n in range(3_000))
    start = time.process_time()
    find(text)
    assert time.process_time() - start < 4


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n" * 2_000,
        "def f(a):\n    return a\n" * 40 + "f(T)\n" * 40,
        "".join(f"from a import x{n} as x\n" for n in range(99)),
    ],
    ids=["statements", "calls", "imports"],
)
def test_what_is_too_long_to_be_searched_does_not_get_by(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_checks, "NODES", 2_000)
    monkeypatch.setattr(static_checks, "FLOWS", 1_000)
    assert find(text) == (StaticFinding(1, "(((…"),)


@pytest.mark.parametrize("seed", range(20))
def test_no_text_brings_the_search_down(seed: int) -> None:
    """Pieces of Python in any order: most are no Python, and all come to an end."""
    rng = random.Random(seed)
    lines = [line for text, _ in TAMPERING.values() for line in text.split("\n")]
    for _ in range(20):
        chosen = rng.choices(lines, k=rng.randint(1, 6))
        text = rng.choice(["\n", "\n    ", "; ", ".", " + "]).join(chosen)
        assert all(1 <= f.line <= text.count("\n") + 1 for f in find(text))
