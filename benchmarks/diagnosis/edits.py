"""The healthy scripts of the benchmark, the bugs that fit each, and several of them at once."""

from __future__ import annotations

import ast
import difflib
import hashlib
import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FOLDERS = {"pt": HERE, "tf": HERE / "keras"}
"""Where a framework's `bugs.toml`, `variants.toml` and healthy `scripts/` lie."""
DEVELOP = {
    "pt": ("accelerated", "answers", "gan", "lstm", "masked", "sequence", "several", "table"),
    "tf": ("denoise", "loop", "pictures", "topics"),
}
"""The scripts that the catalogue is worked on with; on the others is reported."""
OWN_SEED = "SEED = 0"
DRAWN = 12
"""Cases of several bugs that are drawn for each script."""
CLOSE = 3
"""Two bugs of one case are at least so many lines apart."""


@dataclass(frozen=True)
class Bug:
    """A named edit; `faults` are the names that are right, `stages` the stages."""

    name: str
    faults: frozenset[str]
    stages: frozenset[str]
    silent: bool
    entry: dict[str, Any]

    def put_into(self, text: str) -> str | None:
        """Put the bug into the text; return None where it does not fit."""
        pattern = self.entry.get("pattern") or re.escape(self.entry["old"])
        new = self.entry["new"]
        found = list(re.finditer(pattern, text, flags=re.MULTILINE))
        if not found or (len(found) > 1 and not self.entry.get("first")):
            return None
        first = found[0]
        into = first.expand(new) if "pattern" in self.entry else new
        changed = text[: first.start()] + into + text[first.end() :]
        for old, other in self.entry.get("with", ()):
            if old not in changed:
                return None
            changed = changed.replace(old, other)
        return changed if changed != text and _is_python(changed) else None

    def fits(self, script: str) -> bool:
        """Whether it is one for this script at all."""
        allowed = self.entry.get("scripts", [script])
        return script in allowed and script not in self.entry.get("without", ())

    def lines(self, healthy: str, text: str) -> frozenset[int]:
        """Lines of the faulty text that could be mended."""
        before, after = healthy.splitlines(), text.splitlines()
        lines = set(_touched(before, after))
        for words in self.entry.get("also", ()):
            lines |= {number for number, line in enumerate(after, start=1) if words in line}
        return frozenset(lines)


@dataclass(frozen=True)
class Case:
    """A faulty script, with the bugs that are in it."""

    framework: str
    script: str
    bugs: tuple[Bug, ...]
    text: str

    @property
    def id(self) -> str:
        """Its name."""
        return "+".join((self.script, *(bug.name for bug in self.bugs)))

    @property
    def first_epoch(self) -> int | None:
        """Steps of the optimizer in the first pass over the data; None where nobody has counted."""
        return _first_epochs(self.framework).get(self.script)

    def lines(self, bug: Bug) -> frozenset[int]:
        """Lines that could be mended for one of the bugs."""
        without = healthy(self.framework, self.script)
        for other in self.bugs:
            without = without if other is bug else other.put_into(without) or without
        return bug.lines(without, self.text)


def use(framework: str, folder: Path) -> None:
    """Take scripts and bugs from another folder; its halves are drawn by the scripts' names."""
    FOLDERS[framework] = folder


@cache
def _first_epochs(framework: str) -> dict[str, int]:
    path = FOLDERS[framework] / "first_epoch.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def scripts(framework: str, half: str) -> tuple[str, ...]:
    """Names of a framework's scripts of a half, `develop` or `report`; of `all`."""
    names = sorted(path.stem for path in (FOLDERS[framework] / "scripts").glob("*.py"))
    develop = {n for n in names if _is_for_development(framework, n)}
    return tuple(n for n in names if half == "all" or (n in develop) == (half == "develop"))


def _is_for_development(framework: str, script: str) -> bool:
    if FOLDERS[framework].is_relative_to(HERE / "unseen"):
        return hashlib.sha256(script.encode()).digest()[0] % 2 == 0
    return script in DEVELOP[framework]


@cache
def healthy(framework: str, script: str) -> str:
    """Return the text of a script without a bug."""
    return (FOLDERS[framework] / "scripts" / f"{script}.py").read_text("utf-8")


@cache
def bugs(framework: str) -> tuple[Bug, ...]:
    """All that a framework's scripts can have."""
    return tuple(_read(framework, "bug"))


@cache
def variants(framework: str) -> tuple[Bug, ...]:
    """Edits that harm nothing."""
    return tuple(_read(framework, "variant"))


def seeded(text: str, seed: int) -> str:
    """Return the text with another seed."""
    return text.replace(OWN_SEED, f"SEED = {seed}")


def singles(framework: str, script: str) -> Iterator[Case]:
    """Yield the script with each bug that fits, one at a time."""
    text = healthy(framework, script)
    for bug in bugs(framework):
        changed = bug.put_into(text) if bug.fits(script) else None
        if changed is not None:
            yield Case(framework, script, (bug,), changed)


def several(framework: str, script: str, seed: int) -> Iterator[Case]:
    """Yield the script with two to four bugs that do not interfere, drawn at random."""
    drawn = random.Random(f"{script} {seed}")
    known: set[str] = set()
    alone = list(singles(framework, script))
    for _attempt in range(DRAWN * 20):
        chosen = drawn.sample(alone, min(len(alone), drawn.choice((2, 2, 3, 4))))
        case = _combined(framework, script, chosen)
        if case is not None and case.id not in known:
            known.add(case.id)
            yield case
        if len(known) == DRAWN:
            return


def _combined(framework: str, script: str, cases: list[Case]) -> Case | None:
    """All their bugs in one script; None where two meet in a line or bear one name."""
    text = healthy(framework, script)
    before = text.splitlines()
    places: list[int] = []
    faults: set[str] = set()
    for case in cases:
        (bug,) = case.bugs
        own = {*_touched(case.text.splitlines(), before)}
        changed = bug.put_into(text)
        near = any(abs(line - other) < CLOSE for line in own for other in places)
        if changed is None or near or faults & bug.faults:
            return None
        places += own
        faults |= bug.faults
        text = changed
    return Case(framework, script, tuple(bug for case in cases for bug in case.bugs), text)


def _read(framework: str, kind: str) -> Iterator[Bug]:
    path = FOLDERS[framework] / f"{kind}s.toml"
    for entry in tomllib.loads(path.read_text("utf-8"))[kind] if path.exists() else ():
        stage = entry.get("stage", [])
        stages = frozenset([stage] if isinstance(stage, str) else stage)
        faults = frozenset(entry.get("faults", ()))
        yield Bug(entry["name"], faults, stages, entry.get("silent", False), entry)


def _touched(before: list[str], after: list[str]) -> Iterator[int]:
    """Lines of the second text that differ; where lines are gone, those around the gap."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, _i1, _i2, j1, j2 in matcher.get_opcodes():
        if kind == "delete":
            yield from (max(1, j1), j1 + 1)
        elif kind != "equal":
            yield from range(j1 + 1, j2 + 1)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
