"""The notebook of an exercise: what is in it, in which order, and what must not be."""

import json
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from course.base import i18n, texts
from course.base.errors import UserError
from course.exercise import working_copy
from course.lesson import lesson
from course.lesson.catalogue import STAGES, catalogue
from course.lesson.lesson import Part
from course.notebook import looks, make
from course.notebook.cells import notebook, script
from course.notebook.library import nbformat

pytestmark = pytest.mark.live  # no framework, but many seconds together

PARTS = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]
LANGUAGES = ["en", "zh", "ru"]

each_part = pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.lesson}-{p.framework}")
each_language = pytest.mark.parametrize("lang", LANGUAGES)


EXPORTS: dict[tuple[Any, ...], str] = {}


def made(part: Part, lang: str = "en", install: str | None = None) -> str:
    """The notebook of a part; one that has been made already is taken again."""
    key = (part.lesson, part.framework, lang, install)
    if key not in EXPORTS:
        i18n.activate(lang)
        EXPORTS[key] = make.text(part, part.bugs, install)
    return EXPORTS[key]


def cells(text: str) -> tuple[notebook.Cell, ...]:
    return notebook.read(text, "made.ipynb").cells


@each_part
@each_language
def test_it_is_valid_and_stays_as_it_is_when_jupyter_saves_it(part: Part, lang: str) -> None:
    text = made(part, lang)
    read = nbformat.reads(text, as_version=4)
    nbformat.validate(read)
    assert nbformat.writes(read) + "\n" == text


@each_part
def test_the_ids_are_all_different_and_the_same_in_every_language(part: Part) -> None:
    ids = {lang: [c["id"] for c in json.loads(made(part, lang))["cells"]] for lang in LANGUAGES}
    assert ids["en"] == ids["zh"] == ids["ru"]
    assert len(set(ids["en"])) == len(ids["en"])
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in ids["en"])


@each_part
@each_language
def test_the_learners_own_cells_are_the_script(part: Part, lang: str) -> None:
    own = [c for c in cells(made(part, lang)) if c.generated is None]
    prose = [line for c in own if c.kind == "markdown" for line in c.source.splitlines()]
    wanted = texts.translated(part.text(part.bugs), i18n.translator(lang))
    assert [f"# {line}" for line in prose] == [
        line for line in wanted.splitlines() if line.startswith("# ") and "%%" not in line
    ]
    code = "\n".join(c.source for c in own if c.kind == "code").split()
    assert code == [w for x in wanted.splitlines() if not x.startswith("#") for w in x.split()]


@pytest.mark.parametrize(
    "part",
    [p for p in PARTS if "trainer.train()" in p.script or ".fit(" in p.script],
    ids=lambda p: f"{p.lesson}-{p.framework}",
)
def test_building_and_training_are_cells_of_their_own(part: Part) -> None:
    last = [c for c in cells(made(part)) if c.kind == "code" and c.generated is None][-1]
    assert last.source.count("\n") == 0


@each_part
@each_language
def test_the_first_code_cell_prepares_and_says_which_exercise_it_is(
    tmp_path: Path, part: Part, lang: str
) -> None:
    text = made(part, lang)
    first, *code = [c for c in cells(text) if c.kind == "code"]
    assert first.generated == "setup"
    assert first.source.endswith("\n%load_ext course\n%course setup")
    assert first.source.count("\n") < 15
    assert [c.generated for c in code if c.generated == "setup"] == []
    path = tmp_path / "made.ipynb"
    path.write_text(text, "utf-8")
    read = working_copy.read(path)
    assert (read.part, read.bugs, read.header.lang) == (part, part.bugs, lang)


@each_part
@each_language
@pytest.mark.parametrize("install", [None, "https://wheels.example/nlp_course_companion-1.whl"])
def test_the_first_code_cell_is_python_with_its_magics_and_without(
    part: Part, lang: str, install: str | None
) -> None:
    source = next(c for c in cells(made(part, lang, install=install)) if c.kind == "code").source
    compile(TransformerManager().transform_cell(source), "cell", "exec", dont_inherit=True)
    plain = re.sub(r"(?m)^( *)%", r"\1# %", source)
    compile(plain, "cell", "exec", dont_inherit=True)
    for name in part.requires:
        assert f'"{name}"' in source


def installed(source: str, folder: Path) -> list[str]:
    """What the first cell tells IPython to do where `course` is missing."""
    done: list[str] = []
    names: dict[str, Any] = {}

    class Shell:
        def run_line_magic(self, name: str, line: str) -> None:
            done.append(f"{name} {line}".format_map(names))

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("course"):
            raise ModuleNotFoundError(name)
        return __import__(name, *rest)

    names |= {
        "get_ipython": Shell,
        "__builtins__": {**vars(__import__("builtins")), "__import__": missing},
    }
    before = Path.cwd()
    os.chdir(folder)
    try:
        exec(TransformerManager().transform_cell(source), names)
    finally:
        os.chdir(before)
    return done


@each_part
def test_where_course_is_missing_a_wheel_beside_the_notebook_is_installed(
    tmp_path: Path, part: Part
) -> None:
    source = next(c for c in cells(made(part)) if c.kind == "code").source
    with pytest.raises(ModuleNotFoundError, match="into the folder of this notebook"):
        installed(source, tmp_path)
    (tmp_path / "nlp_course_companion-0.1.0-py3-none-any.whl").touch()
    (tmp_path / "other-0.1.0-py3-none-any.whl").touch()
    requires = " ".join(f'"{name}"' for name in part.requires)
    assert installed(source, tmp_path) == [
        f'pip install --quiet "nlp_course_companion-0.1.0-py3-none-any.whl" {requires}',
        "load_ext course",
        "course setup",
    ]


def test_a_teacher_says_what_is_installed(tmp_path: Path) -> None:
    spec = "git+https://git.example/course@v1"
    source = next(c for c in cells(made(PARTS[0], install=spec)) if c.kind == "code").source
    assert installed(source, tmp_path)[0].startswith(f'pip install --quiet "{spec}" "')


@pytest.mark.parametrize("spec", ["", " ", 'a" b', "$(ls)", "`ls`", "{x}", "-r x", "a\nb", "a\\"])
def test_what_pip_could_not_be_told_is_refused(spec: str) -> None:
    with pytest.raises(UserError, match="--install"):
        made(PARTS[0], install=spec)


@each_part
@each_language
def test_every_look_is_there_once_after_the_script(part: Part, lang: str) -> None:
    found = cells(made(part, lang))
    sources = [c.source for c in found if c.generated == "look"]
    assert sorted(sources) == sorted({look.code for look in part.looks} | {"%course loss"})
    own = [c.number for c in found if c.generated is None]
    assert all(c.number > max(own) for c in found if c.generated == "look")


@each_part
def test_the_looks_stand_under_their_stages_in_the_order_of_the_steps(part: Part) -> None:
    under: dict[str, list[str]] = {}
    heading = ""
    for cell in cells(made(part)):
        if cell.kind == "markdown" and not cell.source.startswith("<details>"):
            heading = cell.source.splitlines()[0].lstrip("# ")
        elif cell.generated == "look":
            under.setdefault(heading, []).append(cell.source)
    stages = list(dict.fromkeys(catalogue()[s.fault].stage for s in part.steps if s.fault))
    assert list(under) == [*(STAGES[stage].capitalize() for stage in stages), looks.TRAINED]
    before: set[str] = set()
    for step in part.steps:
        stage = STAGES[catalogue()[step.fault].stage].capitalize() if step.fault else looks.TRAINED
        for look in part.looks_at(step.id):
            # What two steps look at stands under the first of them.
            assert look.code in {*under[stage], *before}
            before.add(look.code)
    assert under[looks.TRAINED][0] == "%course loss"


@each_part
@each_language
def test_no_text_gives_anything_away(part: Part, lang: str) -> None:
    prose = [c.source for c in cells(made(part, lang)) if c.kind == "markdown"]
    # What a look shows is folded: whoever opens it wants to know.
    said = "\n".join(text for text in prose if not text.startswith("<details>"))
    faults = [catalogue()[name] for name in {s.fault for s in part.steps if s.fault}]
    told = [text for f in faults for text in (f.title, f.means, f.where, f.fix)]
    told += [bug.reason for bug in part.known] + [look.caption for look in part.looks]
    into = i18n.translator(lang)
    for text in (into(p) for each in told for p in texts.paragraphs(each)):
        assert text not in said
    for bug in part.known:
        assert bug.fault not in said
        assert not [e.healthy for e in bug.edits if e.healthy.strip() in said]


@each_part
def test_before_each_look_stands_what_it_shows_folded(part: Part) -> None:
    found = cells(made(part))
    captions: dict[str, list[str]] = {}
    for look in part.looks:
        captions.setdefault(look.code, []).append(" ".join(look.caption.split()))
    looked = [(before, each) for before, each in pairwise(found) if each.generated == "look"]
    for before, each in looked:
        for caption in captions.get(each.source, ()):
            assert before.source.startswith("<details><summary>")
            assert caption in before.source
            assert before.source.endswith("</details>")
    assert {each.source for _before, each in looked} >= set(captions)


def test_a_notebook_without_bugs_does_not_say_that_there_are_some() -> None:
    assert "There are bugs" in made(PARTS[0])
    healthy = make.text(PARTS[0], ())
    assert "There are bugs" not in healthy
    assert "This notebook has no bug" in healthy


def test_there_is_something_to_look_for_at_every_stage() -> None:
    # What lies in the script itself needs no look: the line is in the message.
    assert list(looks.SEEK) == [stage for stage in STAGES if stage != "script"]


@each_part
def test_what_we_generate_is_no_part_of_the_script_that_runs(part: Part) -> None:
    read = notebook.read(made(part), "made.ipynb")
    run = script.of(read).text
    assert "%course" not in run
    assert not any(look.code in run for look in part.looks if "\n" in look.code)
    assert {c.generated for c in read.cells} == {None, "setup", "text", "look"}
