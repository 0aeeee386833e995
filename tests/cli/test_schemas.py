"""Each JSON document of the command line has a schema, which takes no key that it does not know."""

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from course.cli import app
from course.cli.classroom import grade
from course.cli.subtitles import export
from course.exercise import practice
from course.grading.collect.collector import target
from course.grading.distribute.assignment import Form
from course.grading.grade import GradeStatus, How
from course.grading.report import doubts
from course.judge.script_verdict import SCRIPT_PROBLEMS
from course.lesson import catalogue
from course.lesson.signature import SilentSignature
from course.render import vitals
from course.runs.environment.runtime import Source
from course.runs.environment.status import Word
from course.runs.vital_signs import VitalSigns
from tests import documents
from tests.command import course
from tests.grading import report_class
from tests.render import signs
from tests.vital_figures import FIGURES, LESSON_FIGURES

DEFS = {"$defs": documents.schemas()["run"]["$defs"]}


def commands(
    group: Any = None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each command with the words that name it."""
    group = group or app
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all that it is made of."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


def test_each_command_with_json_has_a_schema_and_each_schema_a_command() -> None:
    with_json = {
        "-".join(words)
        for words, command in commands()
        if any("--json" in parameter.opts for parameter in command.params)
    }
    assert "json" in export.FORMATS
    assert with_json | {"subtitles-export"} == documents.schemas().keys()


@pytest.mark.parametrize("name", documents.schemas())
def test_each_schema_is_one_and_knows_no_other_keys(name: str) -> None:
    schema = documents.schemas()[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == name + documents.ENDING
    for each in parts(schema):
        if each.get("type") == "object":
            assert {"additionalProperties", "unevaluatedProperties"} & each.keys(), each
            assert set(each.get("required", ())) <= each.get("properties", {}).keys()
    # A document of another version is refused.
    versions = [each["format"] for each in parts(schema) if isinstance(each.get("format"), dict)]
    assert all(version["const"] == 1 for version in versions)
    assert versions or name == "class-regrade"


def test_a_misspelt_key_and_a_lost_one_are_found() -> None:
    fine = {"format": 1, "framework": "tf", "python": "/python", "size": None, "made": True}
    valid = documents.validator("runtime-install").is_valid
    assert valid(fine)
    assert not valid({**fine, "sizes": 1})
    assert not valid({key: value for key, value in fine.items() if key != "made"})
    with pytest.raises(AssertionError, match="start: "):
        documents.check(("--lang", "zh", "start", "ch8-4", "--json"), '{"format": 2}')


def test_the_words_of_the_schemas_are_those_of_the_program() -> None:
    grade = documents.schemas()["class-grade"]["properties"]["submissions"]["items"]["properties"]
    assert set(grade["status"]["enum"]) == set(get_args(GradeStatus))
    assert set(grade["bugs"]["items"]["properties"]["how"]["enum"]) == set(get_args(How))
    run = documents.schemas()["run"]["$defs"]
    assert set(run["problem"]["oneOf"][0]["enum"]) == set(SCRIPT_PROBLEMS)
    runtime = documents.schemas()["runtime-list"]["properties"]["runtimes"]["items"]["properties"]
    assert set(runtime["health"]["enum"]) == set(get_args(Word))
    assert set(runtime["source"]["enum"]) == set(get_args(Source))
    form = documents.schemas()["class-make"]["properties"]["form"]
    assert set(form["enum"]) == set(get_args(Form))
    reason = documents.schemas()["fix"]["properties"]["reason"]["enum"]
    annotation = inspect.get_annotations(practice.Fix, eval_str=True)["reason"]
    assert set(reason) - {None} == set(get_args(get_args(annotation)[0]))
    for fault in catalogue.catalogue().values():
        for signature in fault.signatures:
            if isinstance(signature, SilentSignature):
                known = run["known-figures"]["properties"].keys() | FIGURES | LESSON_FIGURES
                assert signature.figures <= known, fault.id
    for place in ("figures", "metrics"):
        (vital,) = run[place]["patternProperties"]
        assert all(re.search(vital, figure) for figure in FIGURES)
    assert all(re.search(vital, figure) for figure in LESSON_FIGURES)


@pytest.mark.parametrize("signs", signs.KINDS.values(), ids=signs.KINDS)
def test_vital_signs_are_as_the_schema_has_them(signs: VitalSigns) -> None:
    schema = documents.schemas()["run"]
    valid = documents.validator("run").evolve(schema={**schema["$defs"]["vitals"], **DEFS})
    document = json.loads(json.dumps(vitals.document(signs)))
    valid.validate(document)
    valid.validate(vitals.document(None))
    assert not valid.is_valid({**document, "more": 1})
    assert not valid.is_valid({**document, "loss": {}})
    for part in fields(VitalSigns):
        known = {field.name for field in fields(getattr(signs, part.name))}
        of = schema["$defs"][f"{part.name}_signs"]
        assert set(of["required"]) == of["properties"].keys() == known
    assert set(schema["$defs"]["step"]["required"]) >= {"vitals", "metrics"}


def test_a_document_that_the_program_prints_is_held_against_its_schema() -> None:
    assert documents.name(("list", "--json")) == "list"
    assert documents.name(("--lang", "ru", "class", "grade", "x", "--json")) == "class-grade"
    assert documents.name(("subtitles", "export", "x", "--to", "json")) == "subtitles-export"
    assert documents.name(("list",)) is None
    # `course` does it itself.
    assert course("list", "--json").returncode == 0


def test_a_submission_tells_why_its_mark_is_uncertain_as_its_schema_has_it() -> None:
    schema = documents.schemas()["class-grade"]["properties"]["submissions"]["items"]
    kinds = schema["properties"]["uncertain"]["items"]["properties"]["kind"]["enum"]
    assert tuple(kinds) == doubts.RANKS
    register = report_class.register()
    why = doubts.by_assignment(register)
    found = [
        grade._to_json(each, why.get(target(each.assignment), [])) for each in register.standings
    ]
    for document in found:
        Draft202012Validator(schema).validate(document)
    by_student = {document["student"]: document["uncertain"] for document in found}
    assert by_student["s00"] == []
    assert [each["kind"] for each in by_student["s06"]] == ["withheld"]
    assert "sys.modules" in by_student["s06"][0]["text"]
