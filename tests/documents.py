"""The JSON documents of the command line, held against the schemas that ship with it."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from course.base import paths

FOLDER = paths.PACKAGE / "schemas"
ENDING = ".schema.json"


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """All schemas by name: that of `course class grade` is `class-grade`."""
    files = sorted(FOLDER.glob(f"*{ENDING}"))
    return {path.name.removesuffix(ENDING): json.loads(path.read_text("utf-8")) for path in files}


@cache
def validator(name: str) -> Draft202012Validator:
    """A validator of one schema, which may refer to the others by their file's name."""
    resources = [(s["$id"], Resource.from_contents(s)) for s in schemas().values()]
    return Draft202012Validator(schemas()[name], registry=Registry().with_resources(resources))


def name(arguments: Sequence[str]) -> str | None:
    """The schema of what a command prints; None where it prints no JSON document."""
    words = list(arguments)
    while "--lang" in words:
        at = words.index("--lang")
        del words[at : at + 2]
    if "--json" in words:
        both = "-".join(words[:2])
        return both if both in schemas() else words[0]
    if words[:2] == ["subtitles", "export"] and "json" in words:
        return "subtitles-export"
    return None


def check(arguments: Sequence[str], stdout: str) -> None:
    """Fail where a command's JSON document is not as its schema has it."""
    schema = name(arguments)
    # A command that refuses to work prints no document.
    if schema is None or not stdout.startswith("{"):
        return
    wrong = best_match(validator(schema).iter_errors(json.loads(stdout)))
    assert wrong is None, f"{schema}: {wrong.json_path}: {wrong.message}"
