"""The one reader of TOML files: what it makes of a table, and what it says of a broken one."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.authoring import translations
from course.base import paths, schema
from course.base.errors import ContentError, UserError
from course.base.schema import As, Place, Unfit
from course.diagnosis.text import drift, place
from course.diagnosis.text.words import words
from course.grading import rubric
from course.lesson import aside, catalogue, lesson, warning_note
from course.runs import memory
from course.runs.environment import runtime
from course.subtitles.alignment import reviewed_boundaries
from course.subtitles.transcript import style_guide


def halve(number: int) -> int:
    if number < 0:
        raise Unfit("too cold.")
    return {1: 2}[number]


@dataclass(frozen=True)
class Leaf:
    name: str
    size: float = 1.0

    def __post_init__(self) -> None:
        if not self.name:
            raise Unfit("it has no name.")


@dataclass(frozen=True)
class Tree:
    kind: Literal["oak", "elm"]
    age: int
    alive: bool = True
    birds: tuple[str, ...] = ()
    colours: frozenset[str] = frozenset()
    leaves: tuple[Leaf, ...] = ()
    crown: Leaf | None = None
    picture: Path | None = None
    words: dict[str, str] = field(default_factory=dict)
    kin: Literal["none"] | tuple[Leaf, ...] = "none"
    rest: Annotated[int, As(int, halve)] = 0
    anything: Any = None


FILE = Path("/forest/tree.toml")


def told(table: Any) -> str:
    with pytest.raises(ContentError) as caught:
        schema.parse(Tree, table, Place(FILE))
    return str(caught.value)


OAK = {"kind": "oak", "age": 9}


def test_what_is_left_out_is_the_default() -> None:
    assert schema.parse(Tree, OAK, Place(FILE)) == Tree("oak", 9)


def test_a_table_becomes_what_the_annotations_say() -> None:
    table = {
        **OAK,
        "alive": False,
        "birds": ["tit"],
        "colours": ["red", "red"],
        "leaves": [{"name": "a"}, {"name": "b", "size": 2}],
        "crown": {"name": "c", "size": 0.5},
        "picture": "oak.png",
        "words": {"de": "Eiche"},
        "kin": [{"name": "d"}],
        "rest": 1,
        "anything": [1, "x"],
    }
    assert schema.parse(Tree, table, Place(FILE)) == Tree(
        "oak",
        9,
        alive=False,
        birds=("tit",),
        colours=frozenset({"red"}),
        leaves=(Leaf("a"), Leaf("b", 2)),
        crown=Leaf("c", 0.5),
        picture=Path("/forest/oak.png"),
        words={"de": "Eiche"},
        kin=(Leaf("d"),),
        rest=2,
        anything=[1, "x"],
    )


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([], "`/forest/tree.toml`: a value does not have the required format (`table`)."),
        ({"kind": "oak"}, "`/forest/tree.toml`: `age` is missing."),
        ({**OAK, "agee": 1}, "`/forest/tree.toml`: unknown key `agee`. Did you mean `age`?"),
        ({**OAK, "xyz": 1}, "`/forest/tree.toml`: unknown key `xyz`."),
        ({**OAK, "kind": "ask"}, "`kind` does not accept `ask`. Did you mean `oak`?"),
        ({**OAK, "kind": 1}, "`kind` must be of the type `string`."),
        ({**OAK, "age": "9"}, "must be of the type `integer`."),
        ({**OAK, "age": 9.0}, "must be of the type `integer`."),
        ({**OAK, "age": True}, "must be of the type `integer`."),
        ({**OAK, "alive": 1}, "must be of the type `boolean`."),
        ({**OAK, "birds": "tit"}, "must be of the type `array of strings`."),
        ({**OAK, "birds": ["tit", 1]}, "must be of the type `array of strings`."),
        ({**OAK, "leaves": {"name": "a"}}, "must be of the type `array of tables`."),
        ({**OAK, "crown": "c"}, "`crown` must be of the type `table`."),
        ({**OAK, "crown": {"nmae": "c"}}, "`[crown]`: unknown key `nmae`. Did you mean `name`?"),
        (
            {**OAK, "crown": {"name": "c", "size": "L"}},
            "`[crown]`: `size` must be of",
        ),
        ({**OAK, "leaves": [{"name": "a"}, {}]}, "`[[leaves]]` 2: `name` is missing."),
        ({**OAK, "leaves": [{"name": ""}]}, "`[[leaves]]` 1: it has no name."),
        ({**OAK, "picture": 1}, "must be of the type `string`."),
        ({**OAK, "words": {"de": 1}}, "`[words]`: `de` must be of the type"),
        ({**OAK, "kin": 1}, "must be of the type `string`, `array of tables`."),
        ({**OAK, "kin": "some"}, "`kin` does not accept `some`. Did you mean `none`?"),
        ({**OAK, "rest": -1}, "`/forest/tree.toml`: too cold."),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_place(table: Any, sentence: str) -> None:
    assert sentence in told(table)
    assert "\n" not in told(table)


def test_a_value_that_breaks_what_reads_it_is_told_with_its_place() -> None:
    table = {**OAK, "rest": 0}
    assert "`[rest]`: a value does not have the required format (KeyError" in told(table)


def test_a_place_is_named_as_it_stands_in_the_file() -> None:
    part = Place(FILE).at("pt")
    assert str(part) == "`/forest/tree.toml`, `[pt]`"
    assert str(part.at("bug", 2)) == "`/forest/tree.toml`, `[[pt.bug]]` 2"
    assert str(part.at("bug", 2).at("edits", 1)) == "`/forest/tree.toml`, `[[pt.bug]]` 2 `edits` 1"
    assert str(part.at("online").at("outcome")) == "`/forest/tree.toml`, `[pt]` `online` `outcome`"


@pytest.mark.parametrize("error", [ContentError, UserError])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, error: type[Exception]) -> None:
    broken, old, none = (tmp_path / name for name in ("broken.toml", "old.toml", "none.toml"))
    broken.write_text("[x")
    old.write_text("format = 1")
    for source, version, sentence in (
        (tmp_path / "nowhere.toml", None, "There is no file"),
        (tmp_path, None, "cannot be read: "),
        (broken, None, "broken.toml` is not valid TOML: "),
        (old, 2, "old.toml`: `format` does not accept `1`. Choose one of `2`."),
    ):
        with pytest.raises(error, match=sentence):
            schema.load(source, version, error)
    none.write_text("x = 1")
    with pytest.raises(error, match="`format` is missing"):
        schema.load(none, 1, error)


KEYS = st.sampled_from(sorted(vars(Tree("oak", 9)))) | st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
)


@given(st.dictionaries(KEYS, VALUES))
def test_any_table_is_read_or_told(table: dict[str, Any]) -> None:
    with contextlib.suppress(ContentError):
        assert isinstance(schema.parse(Tree, {**OAK, **table}, Place(FILE)), Tree)


def read_lesson(source: Path) -> object:
    return lesson.load(source.parent.name)


def read_pins(source: Path) -> object:
    return reviewed_boundaries.read(lesson.load(source.parents[1].name).parts[source.parent.name])


def read_asides(source: Path) -> object:
    return aside.load(lesson.load(source.parent.name))


def read_warning(source: Path) -> object:
    warning_note.warning_notes.cache_clear()
    return warning_note.warning_notes()[source.stem]


READERS: dict[str, Callable[[Path], object]] = {
    "lessons/*/lesson.toml": read_lesson,
    "lessons/*/asides.toml": read_asides,
    "lessons/faults/*.toml": catalogue.read,
    "lessons/warnings/*.toml": read_warning,
    "lessons/reading/drift.toml": lambda source: drift.listed(),
    "lessons/reading/places.toml": lambda source: place.listed(),
    "lessons/reading/words.toml": lambda source: words(),
    "lessons/checkpoints.toml": lambda source: memory.checkpoints(),
    "lessons/runtimes/*.toml": lambda source: runtime.describe(source.stem),
    "subtitles/*/*/pins.toml": read_pins,
    "locales/*/glossary.toml": lambda source: translations.glossary(source.parent),
}
"""What reads each kind of file that ships."""


def test_every_file_that_ships_reads() -> None:
    rest = {p for name in ("lessons", "subtitles") for p in (paths.data() / name).rglob("*.toml")}
    for pattern, read in READERS.items():
        sources = sorted(paths.data().glob(pattern))
        assert sources
        for source in sources:
            assert read(source)
            rest.discard(source)
    # Those are read where they are used.
    assert {source.name for source in rest} == {"drills.toml", "figures.toml", "phrases.toml"}


@pytest.mark.parametrize(
    ("file", "old", "misspelt"),
    [
        ("lessons/ch8-4/lesson.toml", "title", "titel"),
        ("lessons/ch8-4/lesson.toml", "caption", "captoin"),
        ("lessons/ch8-4/lesson.toml", "buggy", "bugy"),
        ("lessons/ch8-4/lesson.toml", "margin", "margn"),
        ("lessons/ch8-4/lesson.toml", "epochs", "epochss"),
        ("lessons/ch8-4/asides.toml", "text", "txet"),
        ("lessons/warnings/new-weights.toml", "means", "maens"),
        ("lessons/faults/cublas.toml", "means", "maens"),
        ("lessons/faults/cublas.toml", "exception", "excepton"),
        ("lessons/faults/lazy-column.toml", "seen", "sen"),
        ("lessons/faults/padding-to-maximum.toml", "figure", "figur"),
        ("lessons/runtimes/tf.toml", "python", "pyton"),
        ("lessons/runtimes/tf.toml", "installed", "instaled"),
        ("subtitles/ch8-4/pt/pins.toml", "at_ms", "at_m"),
        ("locales/zh/glossary.toml", "terms", "trems"),
    ],
)
def test_a_misspelt_key_is_told_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, misspelt: str
) -> None:
    source, read = (
        paths.data() / file,
        next(read for pattern, read in READERS.items() if Path(file).match(pattern)),
    )
    copy = tmp_path / file
    for name in ("lessons", "subtitles"):
        monkeypatch.setattr(paths, name, lambda name=name: tmp_path / name)
    for beside in (paths.PACKAGE.parent / "lessons" / "ch8-4").rglob("*"):
        target = tmp_path / beside.relative_to(paths.PACKAGE.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        if beside.is_file():
            target.write_bytes(beside.read_bytes())
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text("utf-8")
    assert old in text
    copy.write_text(text.replace(old, misspelt, 1), "utf-8")
    with pytest.raises(ContentError, match=rf"unknown key `{misspelt}`.* `{old}`"):
        read(copy)


@pytest.mark.parametrize(
    ("text", "near", "read"),
    [
        ("format = 1\nhelthy = 1", "healthy", lambda p: rubric.read(p, {"cublas"})),
        ("format = 1\n[points]\ncublass = 1", "cublas", lambda p: rubric.read(p, {"cublas"})),
        ("format = 1\n[limits]\nsecond = 1", "seconds", lambda p: rubric.read(p, {"cublas"})),
        ("format = 1\nlongst = 1", "longest", lambda p: style_guide.load(str(p))),
        ("format = 1\n[languages.zh]\nlin = 1", "line", lambda p: style_guide.load(str(p))),
    ],
)
def test_so_is_one_in_a_file_of_the_user(
    tmp_path: Path, text: str, near: str, read: Callable[[Path], object]
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=rf"own\.toml`.* Did you mean `{near}`"):
        read(file)
