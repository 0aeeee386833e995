"""Writes `docs/benchmarks.md` from `benchmarks/results/*.toml`: ``python benchmarks/page.py``.

`docs/stacks.md` is made besides, of `stacks.json`. A `[[result]]` is one measurement: `what`,
`values`, `command` (where one is known), `date`, `machine`, and the commit, `at` which it was
measured, or `by` which it was written down where nobody said which code it was of. `asked` is
"first" or "known": results of the same `what` share a row then. `old_probe` is what commit 7915ff03
got beside the first asking. An `aim` says whether it is `reached`. `readme` is the phrase of the
README that rests on the result.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import stacks_page

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SECTIONS = {
    "bugs": "Bugs in scripts",
    "honest": "Honest programs that are accused",
    "messages": "Errors in public threads",
    "lessons": "Lessons and silent faults",
    "speed": "Start, and from save to verdict",
    "watching": "What watching costs",
    "classes": "Grading",
    "transcripts": "Alignment",
    "gpu": "On a GPU",
    "notebooks": "The course's own notebooks",
    "tests": "Tests",
    "texts": "Texts, read by fresh readers",
}
"""Files of results, and the headings of their tables."""
IN_COLUMNS = {
    "notebooks": (
        "PyTorch sections of huggingface/notebooks. *Missing* are imports, attributes and "
        "arguments that the installed libraries lack. The last two columns say where a run "
        "ends: on the embedded hub and small data, shortened, without a GPU or a network. A cell "
        "may fail whose error the course shows, and after `course fix` one that it has left to "
        "the reader."
    )
}
"""Files whose results all have the same values, each in a column of its own, and what they are."""
HEAD = """# Benchmarks

<!-- Made by `python benchmarks/page.py` from `benchmarks/results/`. Change those. -->

A **set** is a number of bugs, programs or messages with the names that are right for them, written
down before anything is asked. A set is **first asked** once: before anybody has changed the program
with it in view. That is the only measure of how something new is met. After that the program is
mended with the set in view, so the set is **known**: what it gives then is a regression test, and
says nothing of new programs. The two stand in columns of their own; don't compare one with the
other. `7915ff03` is the last commit with the old probe, asked about the same set.

*Rules* are those of `course/invariants/`, by which own scripts with PyTorch are judged today.
*Figures* are what came before them: rows that name neither, and are older than 2026-11-26, are of
figures. A bug counts as *named* if a right name is certain; *named wrongly* counts certain names
that are right for none of the script's bugs, as a number of scripts, or as a share of all names.
*Line among three* counts bugs of which one of the three lines that are named could be mended.
A bug for which the catalogue has no name counts as missed.

Next to each value: *at* a commit was measured on it; *by* a commit was written down there, and
measured on it or shortly before. A command belongs to that commit: sets and benchmarks that are no
longer kept are still in it. Where no command stands, none was recorded, or the programs were never
kept. Python 3.11; PyTorch 2.13.0 with transformers 5.23.0; TensorFlow 2.21.0 with transformers
4.57.6; other versions are in [stacks](stacks.md). Models and data are those of the
[embedded hub](learner.md#the-embedded-hub).
"""


def read() -> dict[str, list[dict[str, Any]]]:
    """All results, by the name of their file."""
    return {
        name: tomllib.loads((HERE / "results" / f"{name}.toml").read_text("utf-8"))["result"]
        for name in SECTIONS
    }


def page(results: dict[str, list[dict[str, Any]]]) -> str:
    """Return the page in Markdown."""
    parts = [HEAD, *_aims(results)]
    for name, heading in SECTIONS.items():
        parts += [f"## {heading}\n"]
        if name in IN_COLUMNS:
            parts += [f"{IN_COLUMNS[name]}\n", _columns(results[name])]
        else:
            parts += [_table(results[name])]
    return "\n".join(parts)


def _aims(results: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    yield "## Aims that are not reached\n"
    missed = (each for of in results.values() for each in of if each.get("reached") is False)
    rows = [[each["what"], each["aim"], _values(each), _origin(each)] for each in missed]
    yield _markdown(["what", "aim", "value", "commit, date"], rows)


def _table(results: list[dict[str, Any]]) -> str:
    if not any("asked" in each for each in results):
        head = ["what", "value", "command", "commit, date", "machine"]
        rows = [[e["what"], _values(e), _command(e), _origin(e), e["machine"]] for e in results]
        return _markdown(head, rows)
    head = ["what", "first asked", "7915ff03", "known set: regression", "command", "machine"]
    whats = dict.fromkeys(each["what"] for each in results)
    return _markdown(head, [_asked([e for e in results if e["what"] == what]) for what in whats])


def _columns(results: list[dict[str, Any]]) -> str:
    """Make a table with one command, whose columns are the values."""
    head = ["what", *results[0]["values"], "commit, date"]
    rows = [[each["what"], *map(_cell, each["values"].values()), _origin(each)] for each in results]
    machines = {f"{_command(each)}, {each['machine']}" for each in results}
    return f"{'; '.join(sorted(machines))}\n\n{_markdown(head, rows)}"


def _cell(value: str) -> str:
    return value.replace("|", "\\|")


def _asked(of_one: list[dict[str, Any]]) -> list[str]:
    """Return the row of a set: what it gave when first asked, and since."""
    by_time = {each["asked"]: each for each in of_one}
    cells = {when: f"{_values(each)} ({_origin(each)})" for when, each in by_time.items()}
    latest = of_one[-1]
    return [
        *(latest["what"], cells.get("first", "–"), of_one[0].get("old_probe", "–")),
        *(cells.get("known", "–"), _command(latest), latest["machine"]),
    ]


def _values(result: dict[str, Any]) -> str:
    return "; ".join(f"{name} {value}" for name, value in result["values"].items())


def _command(result: dict[str, Any]) -> str:
    return f"`{result['command']}`" if "command" in result else "–"


def _origin(result: dict[str, Any]) -> str:
    commit = f"at `{result['at']}`" if "at" in result else f"by `{result['by']}`"
    return f"{commit}, {result['date']}"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(read()), "utf-8")
    stacks_page.PAGE.write_text(stacks_page.text(), "utf-8")
