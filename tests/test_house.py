"""Dependencies run down only, and rooms on one floor do not know each other."""

import ast
import functools
import graphlib
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.base import paths

FLOORS = [
    {"cli"},
    {"exercise.watch", "grading", "notebook.kernel"},
    {"diagnosis"},
    {"notebook"},
    {"authoring", "exercise", "subtitles"},
    {"render"},
    {"judge"},
    {"lesson"},
    {"invariants"},
    {"runs", "notebook.cells", "judge.tracebacks", "facts"},
    {"base"},
]
"""From the top down. A folder within a room may have a floor of its own."""
PROBE = paths.probe().parent
MODULES = sorted(p for p in paths.PACKAGE.rglob("*.py") if p.parent != paths.PACKAGE)


@functools.cache
def parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text("utf-8"))


@functools.cache
def imported(module: Path) -> tuple[str, ...]:
    """Full names of what a module imports, wherever in it."""
    found: list[str] = []
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(found)


def is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def targets(module: Path, known: dict[str, Path]) -> Iterator[str]:
    """Modules of ours that a module imports, wherever in it, but for type checkers' sake."""
    read = (n for n in parsed(module).body if not is_for_types(n))
    for node in (inner for each in read for inner in ast.walk(each)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in known else node.module


def test_no_modules_import_each_other_in_a_circle() -> None:
    root = paths.PACKAGE.parent
    names = {
        ".".join(p.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): p
        for p in paths.PACKAGE.rglob("*.py")
    }
    graph = {name: set(targets(path, names)) - {name} for name, path in names.items()}
    # The package itself is loaded before any of its modules; what it imports, it does for IPython.
    graph["course"] = set()
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter({**graph, "course.base.errors": {"course.cli"}}).prepare()
    graphlib.TopologicalSorter(graph).prepare()


def floor(place: str) -> int:
    return next(number for number, rooms in enumerate(FLOORS) if place in rooms)


def place_of(parts: tuple[str, ...]) -> str:
    """The folder with a floor that a module lies in."""
    inner = ".".join(parts[:2])
    return inner if any(inner in rooms for rooms in FLOORS) else parts[0]


def test_a_module_imports_only_from_floors_below() -> None:
    wrong = []
    for module in MODULES:
        place = place_of(module.relative_to(paths.PACKAGE).parts)
        for name in imported(module):
            package, *rest = name.split(".")
            if package == "course" and rest and rest[0] != "__version__":
                other = place_of(tuple(rest))
                is_below = place == other or floor(other) > floor(place)
                wrong += [] if is_below else [(str(module), name)]
    assert wrong == []


def test_the_probe_imports_nothing_of_ours() -> None:
    for module in PROBE.rglob("*.py"):
        known = {*sys.stdlib_module_names, "course_probe", "transformers"}
        if module.parent.name == "exam":
            # It makes the tensors that a model is asked with.
            known |= {"numpy", "safetensors", "torch"}
        elif module.stem == "memory":
            # It makes models to count them, when it is asked to.
            known |= {"torch"}
        assert {name.split(".")[0] for name in imported(module)} <= known, module


@pytest.mark.parametrize(
    "room", sorted({p.parent for p in PROBE.rglob("*.py")}), ids=lambda p: p.name
)
def test_the_rooms_of_the_probe_import_each_other_in_no_circle(room: Path) -> None:
    """Of each folder: its folders, and the modules beside them."""
    graph: dict[str, set[str]] = {}
    within = ".".join(room.relative_to(PROBE.parent).parts) + "."
    for module in room.rglob("*.py"):
        own = module.relative_to(room).with_suffix("").parts[0]
        names = (f"{name}." for name in imported(module) if name.startswith(within))
        others = {name.removeprefix(within).split(".")[0] for name in names}
        graph.setdefault(own, set()).update(others - {own})
    graphlib.TopologicalSorter(graph).prepare()


def test_only_the_run_floor_starts_processes() -> None:
    starters = {
        p.relative_to(paths.PACKAGE).parts[0] for p in MODULES if "subprocess" in imported(p)
    }
    assert starters == {"runs"}
    # A standby interpreter ends its own process tree with the system's tool for it. Where our own
    # code has failed in a script's process, the script is run once more without it.
    starters = {p.stem for p in PROBE.rglob("*.py") if "subprocess" in imported(p)}
    assert starters == {"script", "standby"}


def test_only_what_touches_a_process_names_a_framework() -> None:
    """Lessons are data: a third framework must need no word in the rooms above."""
    named = re.compile(r"(?i)\b(torch|pytorch|tensorflow|tf_keras|keras|jax|tf|pt)\b")
    above = [m for m in MODULES if m.relative_to(paths.PACKAGE).parts[0] != "runs"]
    assert {str(m): named.findall(m.read_text("utf-8")) for m in above} == {
        str(m): [] for m in above
    }


FRAMEWORKS = {"accelerate", "datasets", "evaluate", "keras", "tensorflow", "torch", "transformers"}


def test_the_fast_tests_import_no_framework() -> None:
    here = Path(__file__).parent
    live = here / "live"
    read = [p for p in here.rglob("*.py") if p.name.startswith(("test_", "conftest"))]
    fast = [p for p in read if live not in p.parents]
    found = {p.name: FRAMEWORKS & set(at_top(p)) for p in fast}
    assert len(found) > 100
    assert {name: some for name, some in found.items() if some} == {}


def at_top(module: Path) -> Iterator[str]:
    """The packages that a module imports when it is imported itself."""
    for node in parsed(module).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def defined(module: Path) -> Iterator[str]:
    """Names of the classes and type aliases that stand at a module's top."""
    for node in parsed(module).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper():
                yield name


def test_the_name_of_a_type_has_one_meaning() -> None:
    modules = (*paths.PACKAGE.rglob("*.py"), *PROBE.rglob("*.py"))
    count = Counter(name for module in modules for name in defined(module))
    assert {name for name, n in count.items() if n > 1} == set()


ROOT = paths.PACKAGE.parent
LINES = Path(__file__).parent / "lines.toml"
ROOM_TO_FALL = 0.05
"""What part of its limit a folder may be below it, before the limit is to be lowered."""


def lines_by_folder(package: Path) -> Counter[str]:
    """How many lines of Python each folder of a package has; what lies in none counts as `.`."""
    count: Counter[str] = Counter()
    for module in package.rglob("*.py"):
        if module.name == "_version.py":
            # It is made when a wheel is built, and in no commit.
            continue
        folder = module.relative_to(package).parts[0]
        name = "." if module.parent == package else folder
        count[name] += len(module.read_text("utf-8").splitlines())
    return count


def complaint(limit: int, lines: int) -> str:
    """Say what is wrong with the limit of a folder that has so many lines; nothing if it holds."""
    if lines > limit:
        return f"has {lines} lines, and its limit of {limit} may only fall: take lines away"
    if lines < limit * (1 - ROOM_TO_FALL):
        return f"has {lines} lines: lower its limit of {limit} to {lines} in {LINES.name}"
    return ""


def test_a_limit_of_lines_is_kept_and_falls_with_them() -> None:
    assert "take lines away" in complaint(100, 101)
    assert "lower its limit of 100 to 94" in complaint(100, 94)
    assert [complaint(100, lines) for lines in (100, 95)] == ["", ""]


def test_the_lines_of_each_folder_only_fall() -> None:
    limits = tomllib.loads(LINES.read_text("utf-8"))
    wrong = []
    for package, of_folder in limits.items():
        lines = lines_by_folder(ROOT / package)
        for folder in sorted({*of_folder, *lines}):
            told = complaint(of_folder.get(folder, 0), lines[folder])
            wrong += [f"{package}/{folder} {told}"] if told else []
    assert wrong == []
