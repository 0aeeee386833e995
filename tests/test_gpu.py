"""`benchmarks/gpu.py` makes results that the page takes, whatever the device."""

import ast
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from course.lesson.catalogue import catalogue
from tests.benchmark_module import of_benchmarks

LESSON = {"lessons": [{"lesson": "ch3-2"}]}
WALK = {
    "completed": True,
    "steps": [
        {"evidence": "live", "matched": True},
        {
            "evidence": "live",
            "matched": False,
            "step": "healthy",
            "problem": None,
            "observed": {"fault": "cublas"},
        },
        {"evidence": "quoted", "matched": True},
    ],
}


gpu = of_benchmarks("gpu")


def answer(gpu: ModuleType, monkeypatch: pytest.MonkeyPatch, **documents: Any) -> None:
    """Have `course` answer with these documents, by the command's first word."""
    monkeypatch.setattr(gpu, "course", lambda *words: documents.get(words[0], {}))


def test_only_live_steps_of_a_walk_count(
    gpu: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer(gpu, monkeypatch, list=LESSON, run=WALK)
    ((what, values),) = gpu.lessons("cuda", tmp_path)
    assert what == "`course run ch3-2 --device cuda`"
    assert (values["completed"], values["steps as expected"]) == ("true", "1 of 2")
    assert values["others"] == "healthy (cublas)"


def test_a_walk_that_does_not_end_is_told(
    gpu: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer(gpu, monkeypatch, list=LESSON)
    ((_what, values),) = gpu.lessons("cuda", tmp_path)
    assert values["completed"] == "no document"


def test_a_fault_is_told_beside_its_name(
    gpu: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    faults = [{"fault": "devices-differ", "certain": False}, {"fault": "cublas", "certain": True}]
    answer(gpu, monkeypatch, run={"faults": faults})
    found = dict(gpu.faults("cuda", tmp_path / "script.py"))
    assert list(found) == list(gpu.FAULTS)
    assert found["labels that stay on the CPU"] == {
        "fault": "devices-differ",
        "named": "devices-differ (possible), cublas",
    }
    answer(gpu, monkeypatch)
    assert next(gpu.faults("cuda", tmp_path / "script.py"))[1]["named"] == "nothing"


def test_the_ratio_is_that_of_the_pairs(
    gpu: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = ("COST 3.0", "WEIGHTS 0x1.8p+0", "WAITS 2 3 ledger/ledger.py:1087")
    printed = {"output": {"lines": [{"text": text} for text in lines]}}
    answer(gpu, monkeypatch, run={"steps": [printed]})
    monkeypatch.setattr(gpu, "COSTS", {"a step": "print('COST 2.0\\nWEIGHTS 0x1.4p+0')"})
    ((what, values),) = gpu.costs("cpu", tmp_path / "script.py")
    assert (what, values) == (
        "a step",
        {
            "alone": "2.000 ms",
            "watched": "3.000 ms",
            "ratio": "1.500",
            "weights to the bit as alone": "false",
            "memory alone, MiB": "not measured",
            "of 100 steps waited, alone": "not measured",
            "memory watched, MiB": "not measured",
            "of 100 steps waited, watched": "2 3 ledger/ledger.py:1087",
        },
    )


def test_its_scripts_are_whole_and_its_faults_are_known(
    gpu: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert {fault for fault, _text in gpu.FAULTS.values()} <= set(catalogue())
    answer(gpu, monkeypatch)
    for _each in gpu.faults("cuda", tmp_path / "script.py"):
        text = (tmp_path / "script.py").read_text("utf-8")
        ast.parse(text)
        assert not {"DEVICE", "PLACE", "OUTPUTS"} & set(text.replace('"', " ").split())


def test_what_it_writes_is_a_result_of_the_page(gpu: ModuleType) -> None:
    about = {"command": "python", "by": "0.1.0", "date": "2026-11-28", "machine": "a “card”"}
    (found,) = tomllib.loads(gpu.table('a "step"', {"ratio": "1.1"}, about))["result"]
    assert found == {"what": 'a "step"', "values": {"ratio": "1.1"}, **about}
