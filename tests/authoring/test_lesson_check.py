"""The proof fails when a lesson does not hold what it promises; no framework is needed for that."""

from dataclasses import replace
from pathlib import Path

import pytest

from course.authoring import lesson_check, template
from course.authoring.translations import NEW, UNTRANSLATED, Finding
from course.base.errors import ContentError
from course.lesson import lesson as reader
from course.lesson.bug import Bug, Edit
from course.lesson.lesson import Look, Online, Outcome, Part, Step
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.run_context import RunContext


def part(tmp_path: Path, *bugs: tuple[str, str, str], script: str) -> Part:
    """A lesson whose bugs are (fault, buggy text, healthy text)."""
    path = tmp_path / "exercise.py"
    made = tuple(Bug(fault, (Edit(buggy, healthy),), "") for fault, buggy, healthy in bugs)
    steps = [Step(b.fault, b.fault, "", made[i:], b) for i, b in enumerate(made)]
    return Part(
        lesson="tiny",
        framework="pt",
        path=path,
        script=script,
        video=None,
        requires=(),
        imports=(),
        bugs=made,
        steps=(*steps, Step("healthy", None, "", (), None)),
        looks=(),
        outcome=Outcome("accuracy", 0.2, 2, 10, 10),
        online=Online(Bug("online", (), ""), Outcome("accuracy", 0.1, 2, 10, 10)),
    )


def problems(part: Part, runtime: Runtime) -> dict[tuple[str, ...], str | None]:
    results = lesson_check.prove(part, RunContext(runtime, Hub("embedded")), jobs=2)
    return {r.bugs: r.problem for r in results}


def test_a_bug_that_bites_with_its_own_fault_holds(tmp_path: Path, bare: Runtime) -> None:
    lesson = part(tmp_path, ("missing-import", "#np = 1", "np = 1"), script="#np = 1\nprint(np)\n")
    assert problems(lesson, bare) == {("missing-import",): None, (): "no-training"}


@pytest.mark.parametrize(
    ("fault", "script", "problem"),
    [
        ("missing-import", "x = 1\n#bug\n", "no-failure"),
        ("length-mismatch", "print(np)\n#bug\n", "other-fault"),
        ("missing-import", "1 / 0\n#bug\n", "unknown"),
        ("missing-import", "import os; os._exit(0)\n#bug\n", "died"),
    ],
)
def test_a_bug_that_does_not_is_found(
    tmp_path: Path, bare: Runtime, fault: str, script: str, problem: str
) -> None:
    found = problems(part(tmp_path, (fault, "#bug", "#none"), script=script), bare)
    assert found[(fault,)] == problem


def test_a_bug_that_hides_behind_another_is_found(tmp_path: Path, bare: Runtime) -> None:
    """The order in the file says which bites first; here the second does."""
    script = "#tf = 1\n#np = 1\nprint(np)\nint(tf)\n"
    lesson = part(
        tmp_path,
        ("length-mismatch", "#tf = 1", "tf = 1"),
        ("missing-import", "#np = 1", "np = 1"),
        script=script,
    )
    found = problems(lesson, bare)
    assert found[("length-mismatch", "missing-import")] == "other-fault"
    assert found[("missing-import",)] is None


def test_bugs_that_tread_on_each_other_are_found(tmp_path: Path) -> None:
    lesson = part(tmp_path, ("a", "x = 1", "x = 2"), ("b", "x = 1", "x = 3"), script="x = 1\n")
    with pytest.raises(ContentError, match=r"`b`: 'x = 1' must .* it occurs 0 times"):
        lesson_check.reversible(lesson)


def test_an_edit_that_cannot_be_undone_is_found(tmp_path: Path) -> None:
    lesson = part(tmp_path, ("a", "x = 1", "y"), script="x = 1\ny = 2\n")
    with pytest.raises(ContentError, match=r"`a`: 'y' must .* it occurs 2 times"):
        lesson_check.reversible(lesson)


def results(part: Part, runtime: Runtime) -> list[lesson_check.CheckResult]:
    return list(lesson_check.prove(part, RunContext(runtime, Hub("embedded")), jobs=2))


def test_what_a_run_showed_is_told(tmp_path: Path, bare: Runtime) -> None:
    lesson = part(tmp_path, ("missing-import", "#bug", "#none"), script="int('x')\n#bug\n")
    found = {r.bugs: r.document() for r in results(lesson, bare)}
    shown = found[("missing-import",)]
    assert shown["exception"] == {
        "type": "builtins.ValueError",
        "message": "invalid literal for int() with base 10: 'x'",
        "module": "__main__",
    }
    assert shown["why"] == "The catalogue does not know this error, so we do not guess."
    assert shown["figures"] == {}
    assert set(shown) >= {"bugs", "expected", "observed", "problem", "seconds", "holds"}


def test_another_fault_than_the_expected_one_is_named(tmp_path: Path, bare: Runtime) -> None:
    lesson = part(tmp_path, ("length-mismatch", "#bug", "#none"), script="print(np)\n#bug\n")
    (found,) = [r for r in results(lesson, bare) if r.bugs]
    assert found.why.endswith("(`missing-import`)")
    assert found.observed == "missing-import"


def test_the_looks_of_each_step_are_taken(tmp_path: Path, bare: Runtime) -> None:
    lesson = part(tmp_path, ("missing-import", "#np = 1", "np = 1"), script="#np = 1\nprint(np)\n")
    looks = (
        Look(frozenset({"healthy"}), "np", "C"),
        Look(frozenset({"missing-import"}), "1 / 0", "Of no use"),
        Look(frozenset({"missing-import", "healthy"}), "'all is well'", "C"),
    )
    found = {r.step: r for r in results(replace(lesson, looks=looks), bare)}
    assert [g.number for g in found["missing-import"].glances] == [2, 3]
    assert [g.error for g in found["missing-import"].glances] == [
        "ZeroDivisionError: division by zero",
        None,
    ]
    # It may be what the look is to show.
    assert found["missing-import"].holds
    assert [(g.number, g.error) for g in found["healthy"].glances] == [(1, None), (3, None)]
    assert found["missing-import"].step_document()["looks"][0] == {
        "number": 2,
        "caption": "Of no use",
        "error": "ZeroDivisionError: division by zero",
        "holds": None,
    }


@pytest.mark.parametrize(
    ("code", "holds", "kept"),
    [
        ("np + 1", "_ == 2", True),
        ("np + 1", "_ == 3", False),
        ("twice = 2 * np\ntwice", "_ == twice == 2", True),
        ("print(np)", "_ is None", True),
        ("other = np", "_ is None and other", True),
        ("1 / 0", "'division' in error", True),
        ("1 / 0", "not error", False),
        ("np", "no_such_name", False),
        ("", "not error", True),
        ("np", "", None),
    ],
)
def test_whether_a_caption_holds_is_told_by_what_the_look_gave(
    tmp_path: Path, bare: Runtime, code: str, holds: str, kept: bool | None
) -> None:
    lesson = part(tmp_path, ("missing-import", "#np = 1", "np = 1"), script="np = 1\nint(zz)\n")
    lesson = replace(lesson, bugs=(), steps=(Step("healthy", None, "", (), None),))
    look = Look(frozenset({"healthy"}), code, "C", holds=holds)
    (found,) = results(replace(lesson, looks=(look,)), bare)
    assert [g.holds for g in found.glances] == [kept]
    if holds == "no_such_name":
        assert [g.error for g in found.glances] == [
            "holds: NameError: name 'no_such_name' is not defined"
        ]


def test_a_caption_that_does_not_hold_fails_the_proof(tmp_path: Path, bare: Runtime) -> None:
    lesson = part(tmp_path, ("missing-import", "#np = 1", "np = 1"), script="#np = 1\nprint(np)\n")
    looks = tuple(
        Look(frozenset({"missing-import"}), "1 + 1", "Two", holds=holds)
        for holds in ("_ == 2", "_ == 3")
    )
    (found,) = [r for r in results(replace(lesson, looks=looks), bare) if r.bugs]
    assert found.problem is None
    assert not found.holds
    assert found.why == (
        "The text before a look does not match its result. Numbers of the looks: 2."
    )


def test_a_condition_that_is_no_expression_is_told_with_its_place(tmp_path: Path) -> None:
    lesson = part(tmp_path, script="x = 1\n")
    looks = (Look(frozenset({"healthy"}), "x", "C", holds="x ="),)
    whole = reader.Lesson("tiny", "T", "S")
    whole.parts["pt"] = replace(lesson, looks=looks, steps=(Step("healthy", None, "I", (), None),))
    with pytest.raises(
        ContentError, match=r"`\[\[pt.look\]\]` 1: `holds`: This is not valid Python"
    ):
        lesson_check.review(whole)


@pytest.mark.parametrize("name", reader.ids())
def test_every_look_that_ships_says_what_must_hold(name: str) -> None:
    parts = reader.load(name).parts.values()
    assert [look.caption for part in parts for look in part.looks if not look.holds] == []


def many(tmp_path: Path, number: int) -> Part:
    bugs = [("missing-import", f"x = {n}", f"y = {n}") for n in range(1, number + 1)]
    return part(tmp_path, *bugs, script="".join(f"{buggy}\n" for _, buggy, _ in bugs))


@pytest.mark.parametrize(("number", "subsets", "steps"), [(4, 16, 0), (5, 17, 2), (7, 30, 4)])
def test_each_step_is_tried_even_if_its_bugs_are_no_exercise(
    tmp_path: Path, number: int, subsets: int, steps: int
) -> None:
    lesson = many(tmp_path, number)
    found = lesson_check.trials(lesson)
    assert (sum(t.subset for t in found), sum(not t.subset for t in found)) == (subsets, steps)
    assert {t.step for t in found if t.step} == set(lesson.steps)
    assert len(list(lesson.exercises())) == subsets


def test_a_step_in_several_processes_and_one_for_a_gpu_are_runs_of_their_own(
    tmp_path: Path, bare: Runtime
) -> None:
    lesson = many(tmp_path, 2)
    first, second, healthy = lesson.steps
    lesson = replace(
        lesson, steps=(replace(first, device="cuda"), replace(second, processes=2), healthy)
    )
    assert [t.step for t in lesson_check.trials(lesson) if not t.subset] == [lesson.steps[1]]
    on_gpu = RunContext(bare, Hub("embedded"), "cuda")
    assert [t.step for t in lesson_check.trials(lesson, on_gpu) if not t.subset] == [
        *lesson.steps[:2]
    ]


def test_bugs_of_no_known_fault_are_tried_alone(tmp_path: Path) -> None:
    lesson = part(
        tmp_path,
        ("missing-import", "a = 1", "b = 1"),
        ("mising-input-ids", "a = 2", "b = 2"),
        ("jukebox", "a = 3", "b = 3"),
        script="a = 1\na = 2\na = 3\n",
    )
    assert lesson_check.uncatalogued(lesson) == {
        "mising-input-ids": "missing-input-ids",
        "jukebox": "",
    }
    assert [[b.fault for b in t.bugs] for t in lesson_check.trials(lesson)] == [
        ["mising-input-ids"],
        ["jukebox"],
        [],
    ]


def test_the_texts_of_one_lesson_are_its_own_and_those_of_its_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [
        Finding("ru", "A", UNTRANSLATED, ("course/cli/author/dev.py",)),
        Finding("ru", "B", UNTRANSLATED, ("lessons/ch8-4/lesson.toml",)),
        Finding("ru", "C", "marked fuzzy", ("lessons/faults/size-1-array.toml",)),
        Finding("en", "D", NEW, ("lessons/ch8-40/lesson.toml", "lessons/faults/none.toml")),
        Finding("zh", "header", "the header is marked fuzzy"),
    ]
    monkeypatch.setattr(lesson_check, "check_texts", lambda folder: found)
    assert lesson_check.texts() == found
    own = lesson_check.texts(reader.load("ch8-4"))
    assert [f.text for f in own] == ["B", "C", "header"]
    assert [f.waits for f in own] == [True, False, False]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            '["train"]\', ',
            '["trains"]\', ',
            r"`\[\[pt\.bug\]\]` 1: `missing-input-ids`: .* occurs 0 times",
        ),
        ('["train"]\', ', '["trains"]\', ', r"most similar line is line \d+: .*train_dataset=raw"),
        ("'train_dataset=raw[\"train\"]', h", "'raw', h", r"in lines \d+, \d+, \d+\. Include"),
        ("'train_dataset=raw[\"train\"]', h", "'import evaluate\\nfrom', h", "In single quotes"),
        ("'train_dataset=tokenized[\"train\"]'", "''", "neither text may be empty"),
        (
            "'train_dataset=tokenized",
            "')train_dataset=tokenized",
            "with no bug: Line .* not valid Python",
        ),
        ('reason = "', 'raison = "', "unknown key `raison`. Did you mean `reason`"),
        ('intro = """\nThe script', 'text = """\nThe script', r"step\]\]` 1: unknown key `text`"),
        ("Run it.\n", "Run it.\n", ""),
        ('title = "Do two sentences say the same?"', 'title = " "', "`title` is missing"),
        (
            'code = "trainer.train_dataset[0]"',
            'code = "(0"',
            "`code`: Line 1: This is not valid Python",
        ),
        ('# continues = "ch3-4"', 'continues = "ch3-6"', "no lesson `ch3-6`. Did you mean `ch3-5`"),
        ("margin = 0.10", 'margin = "0.10"', "`margin` must be of the type `float`"),
        ("[pt.online]", "[pt.onlin]", r"`\[pt\]`: unknown key `onlin`. Did you mean `online`"),
        ('steps = ["healthy"]', 'steps = ["healty"]', "look.*` 3: There is no step `healty`. Did"),
    ],
)
def test_what_is_wrong_with_a_lesson_is_said_with_its_place(
    lessons: Path, old: str, new: str, complaint: str
) -> None:
    own = template.make("ch3-5", template.frameworks()[0])[0]
    text = own.read_text("utf-8")
    assert old in text
    own.write_text(text.replace(old, new, 1), "utf-8")
    if not complaint:
        lesson_check.review(reader.load("ch3-5"))
        return
    with pytest.raises(ContentError, match=complaint) as found:
        lesson_check.review(reader.load("ch3-5"))
    assert str(found.value).startswith("`lessons/ch3-5/")
    assert "\n" not in str(found.value)
