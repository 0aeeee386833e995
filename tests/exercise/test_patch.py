"""A bug comes out of whatever the learner made of the script, and nothing else changes."""

import ast
import difflib
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.exercise.patch import CannotPatch, places, take_out
from course.lesson import lesson
from course.lesson.bug import Bug, Edit
from course.lesson.lesson import Part

PART = lesson.load("ch8-4").parts["pt"]
SCRIPT, HEALTHY = PART.script, PART.text(())
RAW, LENGTH, LABELS, ARRAY = PART.bugs
IMPORT, COLLATOR = (Bug(LENGTH.fault, (edit,), "") for edit in LENGTH.edits)
SUBSETS = pytest.mark.parametrize("bugs", list(PART.subsets()), ids=len)


def all_out(text: str) -> str:
    for bug in PART.bugs:
        text = take_out(text, bug)
    return text


def with_ends(plain: str, ends: list[str]) -> str:
    """Give the text these line ends, over and over."""
    lines = plain.split("\n")
    return "".join(line + ends[i % len(ends)] for i, line in enumerate(lines[:-1])) + lines[-1]


def carried(text: str, healthy: str) -> str:
    """Give the healthy text the line ends of `text`; new lines get the most frequent."""
    parts = re.split("(\r\n|\r|\n)", text)
    ends = parts[1::2]
    usual = Counter(ends).most_common(1)[0][0]
    lines, new = healthy.split("\n"), []
    matcher = difflib.SequenceMatcher(None, parts[::2], lines, autojunk=False)
    for _tag, a, b, c, d in matcher.get_opcodes():
        new += ends[a:b] if b - a == d - c else [usual] * (d - c)
    return "".join(line + end for line, end in zip(lines, [*new, ""], strict=False))


def refused(text: str, bug: Bug) -> tuple[str, int | None]:
    with pytest.raises(CannotPatch) as caught:
        take_out(text, bug)
    assert (caught.value.edit in bug.edits) == (caught.value.reason != "syntax")
    return caught.value.reason, caught.value.line


def one(buggy: str, healthy: str) -> Bug:
    return Bug("f", (Edit(buggy, healthy),), "")


@pytest.mark.live  # many subsets, in many layouts
@SUBSETS
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "BOM"])
@pytest.mark.parametrize(
    "ends", [["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"], ["\r\n", "\r\n", "\n", "\r"]], ids=repr
)
def test_each_bug_comes_out_as_it_does_of_ours(
    bugs: tuple[Bug, ...], bom: str, ends: list[str]
) -> None:
    plain = PART.text(bugs)
    text = with_ends(plain, ends)
    for bug in PART.bugs:
        wanted = carried(text, bug.take_out(plain)) if bug in bugs else text
        assert take_out(bom + text, bug) == bom + wanted


@pytest.mark.parametrize("part", [p for i in lesson.ids() for p in lesson.load(i).parts.values()])
def test_every_lesson_is_patched_as_its_author_wrote_it(part: lesson.Part) -> None:
    for bugs in part.exercises():
        for bug in bugs:
            assert take_out(part.text(bugs), bug) == bug.take_out(part.text(bugs))


REWRITES = {
    "single quotes": lambda text: text.replace('"', "'"),
    "tabs": lambda text: text.replace("    ", "\t"),
    "two spaces": lambda text: text.replace("    ", "  "),
    "no comma at the end": lambda text: text.replace(",\n)", "\n)"),
    "broken everywhere": lambda text: re.sub(
        r"([(\[])(?=\S)", r"\1\n ", ast.unparse(ast.parse(text))
    ),
    "on one line": lambda text: ast.unparse(ast.parse(text)),
    "no newline at the end": lambda text: text.rstrip("\n"),
    "in a function": lambda text: "def main():\n" + re.sub("(?m)^(?=.)", "    ", text),
}


@pytest.mark.live  # many subsets, in many layouts
@SUBSETS
@pytest.mark.parametrize("rewrite", list(REWRITES))
def test_layout_makes_no_difference(bugs: tuple[Bug, ...], rewrite: str) -> None:
    plain = PART.text(bugs)
    for bug in PART.bugs:
        wanted = bug.take_out(plain) if bug in bugs else plain
        patched = take_out(REWRITES[rewrite](plain), bug)
        if rewrite == "broken everywhere":  # What comes in is broken as we break it.
            assert ast.dump(ast.parse(patched)) == ast.dump(ast.parse(wanted))
        else:
            assert patched == REWRITES[rewrite](wanted)


@pytest.mark.parametrize("width", [40, 88, 320])
def test_a_formatter_makes_no_difference(width: int) -> None:
    config = f"line-length={width}\nformat.skip-magic-trailing-comma=true".split("\n")
    options = [part for setting in config for part in ("--config", setting)]

    def formatted(text: str) -> str:
        command = [sys.executable, "-m", "ruff", "format", "--isolated", *options, "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        return done.stdout

    assert formatted(all_out(formatted(SCRIPT))) == formatted(HEALTHY)


@pytest.mark.parametrize(
    ("bug", "before", "after"),
    [
        # The import: on one line, with and without brackets and commas, with comments.
        (IMPORT, "from t import AutoTokenizer\n", "from t import AutoTokenizer, {}\n"),
        (IMPORT, "from t import (AutoTokenizer)\n", "from t import (AutoTokenizer, {})\n"),
        (IMPORT, "from t import (AutoTokenizer,)\n", "from t import (AutoTokenizer, {},)\n"),
        (IMPORT, "from t import AutoTokenizer, A\n", "from t import AutoTokenizer, {}, A\n"),
        (
            IMPORT,
            "from t import A, \\\n  AutoTokenizer\nx = 1\n",
            "from t import A, \\\n  AutoTokenizer, {}\nx = 1\n",
        ),
        (
            IMPORT,
            "from t import (\n  AutoTokenizer, A,\n)\n",
            "from t import (\n  AutoTokenizer, {}, A,\n)\n",
        ),
        (IMPORT, "from t import AutoTokenizer  # c", "from t import AutoTokenizer, {}  # c"),
        (
            IMPORT,
            "from t import (\n  AutoTokenizer,  # c\n  A)\nAutoTokenizer.x()\n",
            "from t import (\n  AutoTokenizer,  # c\n  {},\n  A)\nAutoTokenizer.x()\n",
        ),
        (
            IMPORT,
            "from t import (\n\tAutoTokenizer # c, d\n\t# e\n)\n",
            "from t import (\n\tAutoTokenizer, # c, d\n\t{}\n\t# e\n)\n",
        ),
        # The keyword argument: in any place of the call, with other ones after it.
        (
            COLLATOR,
            "T(m, compute_metrics=compute_metrics)",
            "T(m, compute_metrics=compute_metrics, {})",
        ),
        (
            COLLATOR,
            "T(m,\n  compute_metrics = compute_metrics)",
            "T(m,\n  compute_metrics = compute_metrics,\n  {})",
        ),
        (
            COLLATOR,
            "T(\n    compute_metrics=compute_metrics,  # c\n    callbacks=[f(1, 2)],\n)\n",
            "T(\n    compute_metrics=compute_metrics,  # c\n    {},\n    callbacks=[f(1, 2)],\n)\n",
        ),
        (
            COLLATOR,
            "T(m, compute_metrics=compute_metrics, **more)",
            "T(m, compute_metrics=compute_metrics, {}, **more)",
        ),
    ],
)
def test_what_is_added_fits_in(bug: Bug, before: str, after: str) -> None:
    added = {
        IMPORT: "DataCollatorWithPadding",
        COLLATOR: "data_collator=DataCollatorWithPadding(tokenizer=tokenizer)",
    }
    assert take_out(before, bug) == after.format(added[bug])
    assert take_out(after.format(added[bug]), bug) == after.format(added[bug])


@pytest.mark.parametrize(
    ("buggy", "healthy", "before", "after"),
    [
        ("if x:", "if not x:", "if  x :\n  y\n", "if  not x :\n  y\n"),
        ("(x)", "(not x)", "f( x )", "f( not x )"),
        ("f(a, b)", "f(a)", "f( a , b, )", "f( a )"),
        ("f(a, b)", "f(b)", "f(a,\n  b)", "f(b)"),
        ("a, b", "a, c, b", "f(a,  b)", "f(a, c,  b)"),
        ("    b,\n", "    a,\n    b,\n", "f(\n  b, c)", "f(\n  a,\n  b, c)"),
        ("    b,\n", "    a,\n    b,\n", "f(b)", "f(a, b)"),
        ("y = 1\n", "x = 1\ny = 1\n", "if x:\n  y=1  # c\n", "if x:\n  x = 1\n  y=1  # c\n"),
        (
            "f(x)\n",
            "f(x)\nif y:\n    g()\n",
            "\tf( x )  # c\n",
            "\tf( x )  # c\n\tif y:\n\t    g()\n",
        ),
        ("    b,\n", "    b,\n    a,\n", "f(a, b)", "f(a, b, a)"),
        ("f(g(a, b))", "f(g(a, b), c=1)", "f(\n g(a,\n   b),\n)", "f(\n g(a,\n   b),\n c=1,\n)"),
        ("f(a)", "f(a, b=1)", "f(a, c=2)\nf(b=1)\n", "f(a, b=1, c=2)\nf(b=1)\n"),
        ("x = 1\ny = 2\nz", "x = 1\nz", "x=1\ny=2\nz", "x=1\nz"),
        ('f"{x}"', 'f"{y}"', "z = f'{x}'", 'z = f"{y}"'),
        ("x = 'it''s'", "x = 2", 'x = "it"   "s"', "x = 2"),
    ],
)
def test_other_edits_than_those_of_the_lesson(
    buggy: str, healthy: str, before: str, after: str
) -> None:
    head = "if 1:\n" if before[0] == "\t" else ""
    assert take_out(head + before, one(buggy, healthy)) == head + after


def test_a_place_that_the_learner_has_mended_is_left_alone() -> None:
    first, second = RAW.edits
    half = SCRIPT.replace(first.buggy, first.healthy)
    assert take_out(half, RAW) == RAW.take_out(SCRIPT)
    half = SCRIPT.replace(second.buggy, "eval_dataset = tokenized['validation_matched']")
    assert take_out(half, RAW) == half.replace(first.buggy, first.healthy)
    for bug in IMPORT, COLLATOR:
        assert take_out(bug.take_out(SCRIPT), LENGTH) == LENGTH.take_out(SCRIPT)


@pytest.mark.parametrize(
    ("bug", "text"),
    [
        (IMPORT, "from t import DataCollatorWithPadding, AutoTokenizer\n"),
        (IMPORT, "from t import (\n  AutoTokenizer,\n  A,\n  DataCollatorWithPadding\n)\n"),
        (IMPORT, "from t import AutoTokenizer\nfrom t import DataCollatorWithPadding\n"),
        (
            COLLATOR,
            "T(data_collator=DataCollatorWithPadding(tokenizer=tokenizer),\n"
            "  compute_metrics=compute_metrics)",
        ),
        (
            LABELS,
            "AutoModelForSequenceClassification.from_pretrained(checkpoint, x=1, num_labels=3)",
        ),
    ],
)
def test_it_may_be_mended_in_another_place(bug: Bug, text: str) -> None:
    assert take_out(text, bug) == text


def test_comments_and_strings_are_not_code() -> None:
    lines = [line for bug in PART.bugs for edit in bug.edits for line in edit.buggy.splitlines()]
    quoted = "".join(f"# {line}\n#{line}\n" for line in lines)
    text = SCRIPT.replace("# ## Training\n", quoted)
    assert all_out(text) == HEALTHY.replace("# ## Training\n", quoted)
    line = '    train_dataset=raw["train"],\n'
    more = f"    #{line}    # {line}"
    assert take_out(SCRIPT.replace(line, more + line), RAW).replace(more, "") == RAW.take_out(
        SCRIPT
    )
    doc = "'''" + "\n".join(edit.buggy for bug in PART.bugs for edit in bug.edits) + "'''\n"
    assert all_out(doc + SCRIPT) == doc + HEALTHY
    assert all_out("f" + doc + SCRIPT) == "f" + doc + HEALTHY
    assert refused(doc, RAW) == ("not-found", None)


def test_several_places_are_not_guessed_between() -> None:
    copied = SCRIPT + SCRIPT[SCRIPT.index("trainer = Trainer(") :]
    first = SCRIPT[: SCRIPT.index("train_dataset=")].count("\n") + 1
    assert refused(copied, RAW) == ("several", first)
    assert refused(with_ends(copied, ["\r\n", "\r"]), RAW) == ("several", first)
    again = copied.index("compute_metrics=")
    assert refused(copied, LENGTH) == ("several", copied[:again].count("\n") + 1)
    # One is ours to the letter, or the other is mended.
    other = "other = Trainer(model, compute_metrics=compute_metrics)\n"
    assert take_out(SCRIPT + other, LENGTH) == LENGTH.take_out(SCRIPT) + other
    assert take_out(copied, ARRAY) == ARRAY.take_out(copied)
    assert take_out(HEALTHY + copied[len(SCRIPT) :], RAW).count("tokenized[") == 4


@pytest.mark.parametrize(
    ("bug", "text"),
    [
        (RAW, "Trainer(model, **options)\n"),
        (RAW, "train_dataset=raw['train']\n"),
        (RAW, ""),
        (COLLATOR, "T(compute_metrics=compute_metrics, data_collator=mine)"),
        (COLLATOR, "compute_metrics=compute_metrics\n"),
        (COLLATOR, "T(compute_metrics=compute_metrics or other)"),
        (LABELS, "AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)"),
        (LABELS, "AutoModelForSequenceClassification.from_pretrained(checkpoint, config)"),
        (ARRAY, "metric.compute(references=labels, predictions=logits)"),
        (IMPORT, "import t\nAutoTokenizer = t.AutoTokenizer\nAutoTokenizer\n"),
        (IMPORT, "f(x=AutoTokenizer, y=1)\n"),
        (IMPORT, "f(t.AutoTokenizer, y)\n"),
        # A comment would be lost, or only a part of the line is known.
        (one("f(a, b)", "g()"), "f(a,  # c\n  b)"),
        (one("y = 1\n", "x = 1\ny = 1\n"), "if x: y = 1\n"),
        (one("f(x)", "f(x)\nfor y in x:\n    g()"), "f(x); z = 1\n"),
        (one("f(x)", "f(x)\nfor y in x:\n    g()"), "f( x); z = 1\n"),
        (one("x = a[2]", "x = b"), "x = a\n[2]\n"),
        (one("# c\n", "# d\n"), "x = 1  # c\n"),
    ],
)
def test_what_does_not_fit_is_refused(bug: Bug, text: str) -> None:
    assert refused(text, bug) == ("not-found", None)


@pytest.mark.parametrize(
    ("text", "line"),
    [("x = 1\nif x\n", 2), ("x = 1\r\n\rf(\r", 3), ("f(a=1, a=2)", 1), ("x = 1\0", None)],
)
def test_a_text_with_a_syntax_error_is_refused(text: str, line: int | None) -> None:
    assert refused("\ufeff" + text, RAW) == ("syntax", line)


@pytest.mark.filterwarnings("error")
def test_an_odd_escape_is_not_worth_a_warning() -> None:
    assert take_out('x = "\\d"\n' + SCRIPT, RAW) == 'x = "\\d"\n' + RAW.take_out(SCRIPT)


def statements(text: str) -> list[str]:
    """Cut the text in front of each statement of its top level."""
    lines = text.splitlines(keepends=True)
    cuts = [node.lineno - 1 for node in ast.parse(text).body[1:]]
    return ["".join(lines[a:b]) for a, b in pairwise([0, *cuts, len(lines)])]


BETWEEN = st.sampled_from(
    ["", "\n", "\n\n", "# raw\n", "#%%\n\n", "print(raw)\n", "x = 4; y = '''\n# '''\n"]
)
ENDS = st.sampled_from([["\r"], ["\n", "\r\n"], ["\r\n", "\r"]]).flatmap(
    lambda ends: st.lists(st.sampled_from(ends), min_size=1)
)


@settings(max_examples=40)
@given(between=st.lists(BETWEEN, min_size=20, max_size=20), ends=ENDS)
def test_what_stands_between_the_statements_is_kept(between: list[str], ends: list[str]) -> None:
    buggy, healthy = (
        "".join(more + part for more, part in zip(between, statements(text), strict=False))
        for text in (SCRIPT, HEALTHY)
    )
    text = with_ends(buggy, ends)
    assert all_out(text) == carried(text, healthy)


GAPS = st.sampled_from(["", "", " ", "\n", "\t\n  ", "# a, (b\n", " # 'c\n # d\n   "])


@settings(max_examples=40)
@given(gaps=st.lists(GAPS, min_size=9, max_size=99))
def test_what_stands_between_the_tokens_is_kept(gaps: list[str]) -> None:
    depth, text = 0, ""
    code = ast.unparse(ast.parse(SCRIPT))
    for i, part in enumerate(re.findall(r"'[^']*'|\d\S*\d|\w+|\s+|.", code)):
        depth += (part in "([") - (part in ")]")
        text += part + (gaps[i % len(gaps)] if depth else "")
    patched = all_out(text)
    assert ast.dump(ast.parse(patched)) == ast.dump(ast.parse(HEALTHY))
    assert re.findall("#.*", patched) == re.findall("#.*", text)


PARTS = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]


@pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.lesson}-{p.framework}")
def test_what_stands_at_each_place_of_each_bug_is_known(part: Part) -> None:
    for bugs in [part.bugs, (), *((bug,) for bug in part.known)]:
        assert places(part.text(bugs), part.known) == {
            bug.fault: ("buggy" if bug in bugs else "healthy",) * len(bug.edits)
            for bug in part.known
        }


def test_a_place_is_known_by_its_tokens_and_one_that_is_neither_is_changed() -> None:
    text = PART.text((RAW,))
    mended = text.replace('train_dataset=raw["train"],', "train_dataset = tokenized[ 'train' ],")
    assert places(mended, [RAW]) == {RAW.fault: ("healthy", "buggy")}
    own = text.replace('eval_dataset=raw["validation_matched"]', "eval_dataset=mine")
    assert places("\ufeff" + own, [RAW]) == {RAW.fault: ("buggy", "changed")}
    twice = text.replace(
        "    train_dataset", "    note=dict(train_dataset=raw['train'],),\n    train_dataset"
    )
    assert places(twice, [RAW])[RAW.fault][0] == "buggy"
    assert places("def f(:\n", [RAW]) == {}
