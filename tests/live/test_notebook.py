"""Every exported notebook in a real kernel: to its first fault, and with the fixes to the end."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.base import i18n
from course.exercise import practice
from course.exercise import working_copy as copies
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part
from course.notebook.cells.notebook import Cell, read
from tests.command import course
from tests.live.kernels import Kernel, error, pages, started
from tests.tiers import exhaustive, sample

PARTS = [p for name in lesson.ids() for p in lesson.load(name).parts.values()]
LANGUAGES = ("zh", "ru", "en")
TO_THE_END = {
    ("ch3-2", "pt"): "en",
    ("ch3-3", "pt"): "zh",
    ("ch8-4", "pt"): "zh",
    ("ch8-4", "tf"): "ru",
    ("ch3-4", "pt"): "ru",
    ("ch3-4-accelerate", "pt"): "zh",
}
"""The language in which a part's notebook is run on, step by step, to its healthy end: the code of
its cells is the same in all of them, and a test of the fast tier says so."""
EACH_FRAMEWORK = pytest.mark.parametrize(
    "part",
    sample([p for p in PARTS if p.lesson == "ch8-4"], lambda _n, p: p.framework == "pt"),
    ids=lambda p: f"{p.lesson}-{p.framework}",
    indirect=True,
)
"""What depends on the framework and not on the lesson is tried with one of each."""
STEP_BY_STEP = (("ch8-4", "pt"), ("ch3-4", "pt"))
"""In these notebooks each fault is waited for; in the others the first, then the end."""
IN_PROCESSES = "ch3-4-accelerate"
"""Trains in processes that the notebook starts: it hears of them at their end, and has to be
restarted after the first fault, as the fault's text says."""
IN_VAIN = "You do not need to wait for the end: interrupt the kernel and fix the cell."
"""What is said of a training whose verdict is certain before its end."""


@pytest.fixture(scope="module", params=PARTS, ids=lambda p: f"{p.lesson}-{p.framework}")
def part(request: pytest.FixtureRequest) -> Part:
    found: Part = request.param
    done = course("runtime", "list", "--json")
    health = {r["framework"]: r["health"] for r in json.loads(done.stdout)["runtimes"]}
    if health[found.framework] != "ok":
        done = course("runtime", "install", found.framework, "--yes", timeout=1500)
        assert done.returncode == 0, done.stderr
    return found


@pytest.fixture(scope="module")
def kernel(part: Part, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with started(part.framework, tmp_path_factory.mktemp("kernel")) as found:
        yield found


@pytest.fixture
def path(part: Part, tmp_path: Path) -> Path:
    return tmp_path / f"{part.lesson}-{part.framework}.ipynb"


def cells(path: Path) -> list[Cell]:
    """Return the cells that a learner runs one after the other: our first, then the script's."""
    found = read(path.read_text("utf-8"), path.name).cells
    return [c for c in found if c.kind == "code" and c.generated in (None, "setup")]


def run(kernel: Kernel, todo: list[Cell], *, until: str = "") -> tuple[str | None, list[str]]:
    """Run cells up to one that fails; its exception, and all that `course` has said."""
    said = []
    for cell in todo:
        outputs = kernel.run(cell.source, until=until)
        said += pages(outputs)
        if error(outputs) is not None:
            return error(outputs), said
    return None, said


def titled(fault: str, lang: str) -> str:
    return i18n.translator(lang)(catalogue()[fault].title)


@pytest.mark.parametrize(
    "part",
    sample(PARTS, lambda _n, p: (p.lesson, p.framework) == ("ch8-4", "pt")),
    ids=lambda p: f"{p.lesson}-{p.framework}",
    indirect=True,
)
@pytest.mark.parametrize("lang", ["zh", exhaustive("ru"), exhaustive("en")])
def test_it_runs_to_its_first_fault(part: Part, kernel: Kernel, path: Path, lang: str) -> None:
    expect_first_fault(part, kernel, path, lang)


def expect_first_fault(part: Part, kernel: Kernel, path: Path, lang: str) -> None:
    done = course(
        *("notebook", part.lesson, "--fw", part.framework, "--lang", lang, "-o", str(path))
    )
    assert done.returncode == 0, done.stderr
    kernel.run("%reset -f")
    raised, said = run(kernel, cells(path))
    step = next(s for s in part.steps if s.fault and s.device != "cuda")
    fault = step.fault or ""
    assert raised is not None
    assert f"`{fault}`" in said[-1]
    # As in the walk: what to look at first, and only then which fault it is.
    translate = i18n.translator(lang)
    looks = [translate(look.caption) for look in part.looks_at(step.id)]
    told = [translate(step.question), *looks, titled(fault, lang)]
    places = [said[-1].index(each) for each in told]
    assert places == sorted(places)
    (seen,) = pages(kernel.run("%course look"))
    assert seen.startswith(looks[0])
    code = part.looks_at(step.id)[0].code.splitlines()
    shown = [line for line in seen.splitlines() if line.startswith("    ")]
    assert len(shown) > len(code)


@pytest.mark.parametrize(
    "part",
    sample(PARTS, lambda _n, p: (p.lesson, p.framework) == ("ch3-2", "pt")),
    ids=lambda p: f"{p.lesson}-{p.framework}",
    indirect=True,
)
def test_with_the_fixes_it_runs_to_the_healthy_end(part: Part, kernel: Kernel, path: Path) -> None:
    lang = TO_THE_END[part.lesson, part.framework]
    expect_first_fault(part, kernel, path, lang)
    translate = i18n.translator(lang)
    shown = [bug for bug in part.bugs if bug not in part.hidden("cpu")]
    for bug in part.bugs:
        following = shown.index(bug) + 1 if bug in shown else len(shown)
        before = {c.number: c.source for c in cells(path)}
        copy = copies.read(path)
        assert practice.apply(copy, practice.fix(copy, bug))
        after = cells(path)
        changed = next(i for i, c in enumerate(after) if before[c.number] != c.source)
        if following < len(shown) and (part.lesson, part.framework) in STEP_BY_STEP:
            _raised, said = run(kernel, after[changed:], until=translate(IN_VAIN))
            assert titled(shown[following].fault, lang) in "".join(said)
            assert f"`{shown[following].fault}`" in "".join(said)

    if part.lesson == IN_PROCESSES:
        kernel.restart()
    raised, said = run(kernel, cells(path))
    assert raised is None
    assert translate("The script trains, and the model has learned.") in said[-1]
    (picture,) = pages(kernel.run("%course loss"), "text/html")
    assert "<polyline" in picture
    (beside,) = pages(kernel.run("%course fix --mended"))
    assert beside.count(translate("You made the same change as the lesson.")) == len(part.bugs)


@EACH_FRAMEWORK
def test_the_command_line_runs_mends_and_keeps_a_notebook(part: Part, path: Path) -> None:
    course("notebook", part.lesson, "--fw", part.framework, "-o", str(path), "--lang", "ru")
    before = json.loads(path.read_text("utf-8"))
    before["cells"][-1]["outputs"] = [{"name": "stdout", "output_type": "stream", "text": "mine"}]
    path.write_text(json.dumps(before), "utf-8")
    shown = course("run", str(path), "--lang", "zh")
    assert shown.returncode == 1, shown.stderr
    assert f"{path.name}[" in shown.stdout
    assert titled(part.bugs[0].fault, "zh") in shown.stdout
    assert course("hint", str(path)).returncode == 0
    done = course("fix", str(path), "--apply", "--yes", "--json")
    assert json.loads(done.stdout)["applied"] is True
    after = json.loads(path.read_text("utf-8"))
    for cell in (*before["cells"], *after["cells"]):
        cell.pop("source")
    assert after == before
    done = course("run", str(path), "--json")
    assert done.returncode == 1, done.stderr
    (step,) = json.loads(done.stdout)["steps"]
    assert step["observed"]["fault"] == part.bugs[1].fault


@EACH_FRAMEWORK
def test_a_kernel_needs_nothing_of_a_terminals(part: Part, tmp_path: Path) -> None:
    """What only a terminal needs can't be imported there, and a fault is named all the same."""
    blocked = tmp_path / "blocked"
    names = ("rich", "click", "watchfiles", "pysrt", "snowballstemmer", "jupytext", "nbformat")
    for name in names:
        (blocked / name).mkdir(parents=True)
        (blocked / name / "__init__.py").write_text("raise ImportError('no terminal here')\n")
    with started(part.framework, tmp_path, PYTHONPATH=str(blocked)) as kernel:
        assert error(kernel.run("import rich")) == "ImportError"
        assert error(kernel.run("%load_ext course")) is None
        said = pages(kernel.run(f"%course setup {part.lesson} --fw {part.framework} --lang zh"))
        assert part.lesson in said[0]
        outputs = kernel.run('from datasets import load_dataset\nload_dataset("no-such-dataset")')
        assert error(outputs) is not None
        assert "`" in pages(outputs)[-1]
        assert len(pages(kernel.run("%course"))) == 1
