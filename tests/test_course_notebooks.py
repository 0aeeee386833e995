"""The course's own notebooks: after `course fix` the installed libraries have every name in them.

Their text is not kept here. `COURSE_NOTEBOOKS` names a folder with a copy of
https://github.com/huggingface/notebooks; without it these tests are skipped.
"""

import json
import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.benchmark_module import of_benchmarks

VARIABLE = "COURSE_NOTEBOOKS"
PLACE = os.environ.get(VARIABLE, "")
needs_folder = pytest.mark.skipif(
    not PLACE, reason=f"{VARIABLE} has to name a copy of github.com/huggingface/notebooks"
)


table = of_benchmarks("course_notebooks")


@pytest.mark.live
@needs_folder
def test_after_fix_the_libraries_lack_no_name_of_any_section(table: ModuleType) -> None:
    folder = Path(PLACE)
    found = table.sections(folder)
    lacking = {
        section: table.missing(table.fixed(folder / "course" / f"{section}.ipynb").text)
        for section in found
    }
    assert {section: names for section, names in lacking.items() if names} == {}
    assert len([section for section in found if section.startswith("en/")]) == 24
    before = [table.missing((folder / "course" / f"{s}.ipynb").read_text("utf-8")) for s in found]
    assert any(before)


@pytest.mark.live
def test_names_are_looked_up_in_the_libraries(table: ModuleType) -> None:
    source = [
        "from huggingface_hub import Repository, create_repo\n",
        "import transformers\n",
        "from accelerate import Accelerator\n",
        "!pip install nothing\n",
        "create_repo('a', name='b')\n",
        "transformers.AdamW, transformers.Trainer, transformers.Trainer.train\n",
        "Accelerator(fp16=True, cpu=True)\n",
        "tokenizer.as_target_tokenizer()",
    ]
    notebook = {"cells": [{"cell_type": "code", "source": source}, {"cell_type": "markdown"}]}
    assert sorted(table.missing(json.dumps(notebook))) == [
        *("Accelerator(fp16=)", "as_target_tokenizer", "create_repo(name=)"),
        *("huggingface_hub.Repository", "transformers.AdamW"),
    ]


def test_without_the_notebooks_the_table_says_what_it_needs(
    table: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match=r"github\.com/huggingface/notebooks"):
        table.sections(tmp_path)


@pytest.mark.parametrize(
    ("shown", "may"),
    [
        (["IndexError: Dimension out of range"], True),
        (['"""\n', "OSError: Can't load config"], True),
        (["---------\n", "AttributeError    Traceback"], True),
        (["~/git/transformers/src/transformers/trainer.py in f()"], True),
        (["[{'body': 'AttributeError: no'}]"], False),
        (["tensor([1])"], False),
    ],
)
def test_a_cell_may_fail_that_is_published_with_its_error(
    table: ModuleType, shown: list[str], may: bool
) -> None:
    output = {"output_type": "execute_result", "data": {"text/plain": shown}}
    assert table._shows_error({"outputs": [output]}) is may


def test_rows_are_written_and_read_again(
    table: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datetime

    monkeypatch.setattr(table, "RESULTS", tmp_path / "notebooks.toml")
    assert table.read_results() == {}
    rows = {
        what: {
            "what": what,
            "date": datetime.date(2026, 11, 28),
            "values": {"then it": 'a "b" | c'},
        }
        for what in ("ru/chapter2/section2", "en/chapter3/section2")
    }
    table.write_results(rows)
    assert table.read_results() == rows
    assert [*table.read_results()] == ["en/chapter3/section2", "ru/chapter2/section2"]


def test_what_only_a_gpu_can_is_written_otherwise(table: ModuleType) -> None:
    chosen = 'device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")'
    assert table.without_gpu(chosen) == chosen
    assert table.without_gpu('torch.device("cuda")') == 'torch.device("cpu")'
    assert (
        table.without_gpu('load("answerdotai/ModernBERT-base")')
        == 'load("answerdotai.ModernBERT-base")'
    )
