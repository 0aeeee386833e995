"""The reader of lessons, on what ships and on lessons that break a rule."""

from pathlib import Path

import pytest

from course.authoring import lesson_check
from course.base import paths
from course.base.errors import ContentError
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part
from tests.lesson import tiny as tiny_lesson

LESSON = tiny_lesson.LESSON.format(id="tiny")


def parts() -> list[Part]:
    return [part for name in lesson.ids() for part in lesson.load(name).parts.values()]


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tiny"
    (folder / "pt").mkdir(parents=True)
    (folder / "pt" / "exercise.py").write_text("words = 1\n")
    (folder / "lesson.toml").write_text(LESSON)
    monkeypatch.setattr(paths, "lessons", lambda: tmp_path)
    return folder / "lesson.toml"


def test_a_lesson_is_read(tiny: Path) -> None:
    part = lesson.load("tiny").parts["pt"]
    assert [s.id for s in part.steps] == ["names-cut", "healthy"]
    assert part.text(()) == "words = 9\n"
    assert part.text(part.bugs) == "words = 1\n"


def test_a_video_can_have_a_mirror(tiny: Path) -> None:
    assert lesson.load("tiny").parts["pt"].mirror is None
    mirror = "https://videos.example/{video}?at={seconds}"
    named = f'[pt]\nvideo = "v"\nmirror = "{mirror}"'
    tiny.write_text(LESSON.replace("[pt]", named, 1))
    assert lesson.load("tiny").parts["pt"].mirror == mirror


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("format = 1", "format = 2", "`format` does not accept `2`"),
        ('id = "tiny"', 'id = "other"', "The id must be `tiny`"),
        ('title = "Names in tiny"', "", "title"),
        ('reason = "It', 'colour = "red"\nreason = "It', "unknown key `colour`"),
        ('id = "names-cut"\n', 'id = "two"\n', "in this order: `names-cut`, `healthy`"),
        (
            'id = "names-cut"\n',
            'id = "names-cut"\ndevice = "abacus"\n',
            "`device` does not accept `abacus`. Choose one of `cpu`, `cuda`",
        ),
        ('[[pt.step]]\nid = "healthy"\nintro = "Now it learns."', "", "`names-cut`, `healthy`"),
        ('[[pt.step]]\nid = "names-cut"\nintro = "Run it."', "", "`names-cut`, `healthy`"),
        ("[pt]", "[pt", "not valid TOML"),
        (
            "[[pt.bug]]",
            '[[pt.look]]\nsteps = ["three"]\ncode = "x"\ncaption = "C"\n[[pt.bug]]',
            "no step",
        ),
        ("[pt]", '[pt]\nmirror = "https://x.example/{seconds}"', "`video` is missing"),
        (
            "[pt]",
            '[pt]\nvideo = "v"\nmirror = "https://x.example/"',
            "of the form `https://...{seconds}`",
        ),
        (
            "[pt]",
            '[pt]\nvideo = "v"\nmirror = "javascript:{seconds}"',
            "is not of the form `https",
        ),
        ("[pt]", '[pt]\nvideo = "v"\nmirror = 1', "`mirror` must be of the type `string`"),
    ],
)
def test_a_broken_lesson_says_where(tiny: Path, old: str, new: str, complaint: str) -> None:
    assert old in LESSON
    tiny.write_text(LESSON.replace(old, new, 1))
    with pytest.raises(ContentError, match=complaint):
        lesson.load("tiny")


@pytest.mark.parametrize("part", parts(), ids=lambda p: f"{p.lesson}-{p.framework}")
def test_every_subset_of_bugs_is_reversible(part: Part) -> None:
    lesson_check.reversible(part)
    assert len({part.text(bugs) for bugs in part.subsets()}) == 2 ** len(part.bugs)


@pytest.mark.parametrize("part", parts(), ids=lambda p: f"{p.lesson}-{p.framework}")
def test_the_parts_of_a_lesson_fit_together(part: Part) -> None:
    for step in part.steps:
        assert step.fault is None or step.fault in catalogue()
        assert step.device == "cuda" or part.looks_at(step.id)
    if part.online.sample.edits:
        assert part.online.sample.take_out(part.text(())) != part.text(())
    for bugs in part.exercises():
        compile(part.text(bugs), "exercise.py", "exec")


def test_ch8_4_has_the_steps_of_the_design() -> None:
    assert [s.id for s in lesson.load("ch8-4").parts["pt"].steps] == [
        "missing-input-ids",
        "length-mismatch",
        "cublas",
        "target-out-of-bounds",
        "size-1-array",
        "healthy",
    ]


def test_a_variant_is_an_exercise_by_itself() -> None:
    part = lesson.load("ch8-4").parts["tf"]
    (variant,) = part.variants
    assert variant not in part.bugs
    assert len(list(part.exercises())) == 2 ** len(part.bugs) + 1
    assert part.text((variant,)) == variant.put_in(part.text(()))
    assert part.first_fault((variant,)) == variant.fault
    assert part.bug_of(variant.fault) is variant
    assert all(variant not in step.bugs for step in part.steps)
    assert len(variant.hints) == 2


def test_the_healthy_curve_is_one_of_the_embedded_hub_alone() -> None:
    part = lesson.load("ch8-4").parts["tf"]
    curve = part.expects(online=False).curve
    assert curve is not None
    assert part.expects(online=True).curve is None
    assert curve.losses[0][1] > 1.0 > curve.losses[-1][1]


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2}', '{"format": 1}'])
def test_a_broken_curve_says_where(tiny: Path, text: str) -> None:
    tiny.with_name("curve.json").write_text(text)
    place = ("eval_examples = 9 }", 'eval_examples = 9, curve = "curve.json" }')
    tiny.write_text(tiny.read_text().replace(*place, 1))
    with pytest.raises(ContentError, match=r"lesson\.toml"):
        lesson.load("tiny")


def test_only_a_part_that_is_not_the_first_needs_its_framework_named() -> None:
    parts = lesson.load("ch8-4").parts
    options = {name: lesson.framework_option(part) for name, part in parts.items()}
    assert options == {"pt": "", "tf": " --fw tf"}
