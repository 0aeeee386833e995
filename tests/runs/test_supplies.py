"""What lessons bring to the embedded hub: found by name, told apart, and made anew when changed."""

import json
from pathlib import Path

import pytest

from course.base.errors import UserError
from course.runs import embedded_names, supplies

RECIPE = 'format = 1\nmodel_type = "gpt2"\ndata = "names"\ncolumns = ["text"]\n'


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a lesson `one` that brings data and a checkpoint."""
    monkeypatch.setenv("COURSE_LESSONS", str(tmp_path))
    put(tmp_path / "one/data/names/train.csv", "text,label\nИван,1\n")
    put(tmp_path / "one/models/tiny.toml", RECIPE)
    return tmp_path


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_both_are_found_by_their_names(shelf: Path) -> None:
    brought = supplies.found()
    assert brought
    assert dict(brought.data) == {"names": shelf / "one/data/names"}
    assert brought.recipes()["tiny"].columns == ("text",)
    assert "names" in embedded_names.names("datasets")
    assert embedded_names.names("configurations", "names") == ["default"]
    assert {"tiny", "bert-base-cased"} <= set(embedded_names.names("models"))
    assert embedded_names.names("configurations", "glue") == ["mnli", "mrpc"]


def test_nothing_is_brought_where_no_lesson_brings_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_LESSONS", str(tmp_path))
    assert not supplies.found()


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("two/data/names/train.json", "`names` exists twice"),
        ("two/models/tiny.toml", "`tiny` exists twice"),
        ("two/data/glue/train.json", "`glue` exists twice"),
        ("two/models/bert-base-cased.toml", "`bert-base-cased` exists twice"),
        ("two/data/my data/train.json", "cannot be the name of data or of a checkpoint"),
    ],
)
def test_a_name_is_for_one_thing(shelf: Path, file: str, complaint: str) -> None:
    put(shelf / file, "")
    with pytest.raises(UserError, match=complaint):
        supplies.found()


def test_the_card_names_each_configuration_and_split(shelf: Path) -> None:
    place = shelf / "two/data/pairs"
    for name in ("ru/train.jsonl", "ru/test.jsonl", "zh/train.json", "notes.txt"):
        put(place / name, "")
    head = supplies.card(place).splitlines()[1].partition(": ")[2]
    assert json.loads(head) == [
        {
            "config_name": "ru",
            "data_files": [
                {"split": "test", "path": "ru/test.jsonl"},
                {"split": "train", "path": "ru/train.jsonl"},
            ],
        },
        {"config_name": "zh", "data_files": [{"split": "train", "path": "zh/train.json"}]},
    ]


def test_an_authors_own_card_is_taken_as_it_is(shelf: Path) -> None:
    place = put(shelf / "one/data/names/README.md", "---\nmine: 1\n---\n").parent
    assert supplies.card(place) == "---\nmine: 1\n---\n"


@pytest.mark.parametrize("file", ["notes.txt", "ru/notes.txt"])
def test_a_folder_without_data_is_told(shelf: Path, file: str) -> None:
    place = shelf / "two/data/empty"
    put(place / file, "")
    with pytest.raises(UserError, match="has no data"):
        supplies.card(place)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (RECIPE.replace("gpt2", "t5"), "model_type"),
        (RECIPE.replace('data = "names"', ""), "data"),
        (RECIPE + "stepps = 3\n", "stepps"),
        (RECIPE.replace("format = 1", "format = 9"), "format"),
    ],
)
def test_a_wrong_key_of_a_recipe_is_named(shelf: Path, text: str, complaint: str) -> None:
    put(shelf / "one/models/tiny.toml", text)
    with pytest.raises(UserError, match=complaint):
        supplies.found().recipes()


def test_the_digest_follows_every_file(shelf: Path) -> None:
    before = supplies.found().digest("torch 2")
    assert supplies.found().digest("torch 2") == before != supplies.found().digest("torch 3")
    seen = {before}
    for file in ("one/data/names/train.csv", "one/data/names/test.csv", "one/models/tiny.toml"):
        put(shelf / file, RECIPE + f"# {file}")
        seen.add(supplies.found().digest("torch 2"))
    assert len(seen) == 4
