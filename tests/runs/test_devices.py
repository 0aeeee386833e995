"""Where runs take place: on the CPU, unless a step is about a GPU or the user has chosen."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from course.base.errors import UserError
from course.cli.environment.run_place import find_context
from course.lesson import lesson
from course.runs import process
from course.runs.child import Child, Request
from course.runs.environment import runtime as runtimes
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.process import InPlace, Job
from course.runs.run_context import RunContext

PART = lesson.load("ch8-4").parts["pt"]


class Begun(Exception):
    """Carries the variables that a run would begin with, and whether it would begin warm."""


class NoWarm:
    """A warm runtime that tells what it was asked for instead of starting it."""

    def start(self, request: Request) -> Child:
        raise Begun(request.environment, True)


def begin(
    monkeypatch: pytest.MonkeyPatch, bare: Runtime, chosen: str | None, job: Job, device: str | None
) -> tuple[Mapping[str, str], bool]:
    """Return the variables a run begins with in this context, and whether it begins warm."""

    def cold(python: str, request: Request) -> Any:
        raise Begun(request.environment, False)

    monkeypatch.setattr(process, "ColdChild", cold)
    context = RunContext(bare, Hub("embedded"), chosen, warm=NoWarm())  # type: ignore[arg-type]
    with pytest.raises(Begun) as told:
        context.run(job, device=device)
    return told.value.args[0], told.value.args[1]


@pytest.fixture(params=[False, True], ids=["no GPU", "a GPU"])
def has_gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(runtimes, "cuda", lambda _runtime: request.param)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("ACCELERATE_USE_CPU", raising=False)
    return bool(request.param)


@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_lesson_runs_warm_and_on_the_cpu_wherever_it_is(
    has_gpu: bool, monkeypatch: pytest.MonkeyPatch, bare: Runtime, device: str | None
) -> None:
    variables, warm = begin(monkeypatch, bare, None, Job("pass"), device)
    assert (variables["CUDA_VISIBLE_DEVICES"], variables["ACCELERATE_USE_CPU"]) == ("", "1")
    assert warm


def test_a_step_about_a_gpu_and_a_chosen_gpu_begin_cold(
    has_gpu: bool, monkeypatch: pytest.MonkeyPatch, bare: Runtime
) -> None:
    for chosen, device in ((None, "cuda"), ("cuda", None)):
        variables, warm = begin(monkeypatch, bare, chosen, Job("pass"), device)
        assert "CUDA_VISIBLE_DEVICES" not in variables
        assert not warm


def test_a_script_of_ones_own_runs_where_it_would_unless_told(
    has_gpu: bool, monkeypatch: pytest.MonkeyPatch, bare: Runtime, tmp_path: Any
) -> None:
    own = Job("pass", in_place=InPlace(tmp_path, "mine.py"))
    variables, _warm = begin(monkeypatch, bare, None, own, None)
    assert not {"CUDA_VISIBLE_DEVICES", "ACCELERATE_USE_CPU"} & set(variables)
    variables, _warm = begin(monkeypatch, bare, "cpu", own, None)
    assert variables["CUDA_VISIBLE_DEVICES"] == ""


def test_what_needs_a_gpu_is_offered_where_there_is_one_and_not_on_a_chosen_cpu(
    has_gpu: bool, bare: Runtime
) -> None:
    usual, on_cpu = (RunContext(bare, Hub("embedded"), chosen) for chosen in (None, "cpu"))
    assert usual.offers("cuda") is has_gpu
    assert not on_cpu.offers("cuda")
    assert usual.offers(None)
    assert on_cpu.offers("cpu")
    assert usual.device == "cpu"


def test_a_gpu_that_is_not_there_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, bare: Runtime
) -> None:
    monkeypatch.setattr(runtimes, "cuda", lambda _runtime: 0)
    monkeypatch.setattr(runtimes, "find", lambda *_: bare)
    with pytest.raises(UserError, match="finds: 0, needed: 1"):
        find_context(PART, "embedded", device="cuda", cold=True)
    with pytest.raises(UserError, match="does not accept `gpu`"):
        find_context(PART, "embedded", device="gpu", cold=True)


def test_processes_that_have_no_gpu_each_are_refused(
    monkeypatch: pytest.MonkeyPatch, bare: Runtime
) -> None:
    monkeypatch.setattr(runtimes, "cuda", lambda _runtime: 1)
    monkeypatch.setattr(runtimes, "find", lambda *_: bare)
    two = lesson.load("ch3-4-accelerate").parts["pt"]
    with pytest.raises(UserError, match="finds: 1, needed: 2"):
        find_context(two, "embedded", device="cuda", cold=True)


def test_gpus_are_counted_by_the_framework(monkeypatch: pytest.MonkeyPatch, bare: Runtime) -> None:
    monkeypatch.setattr(runtimes, "_driver", lambda: True)
    for code, count in (("print(2)", 2), ("print(0)", 0), ("import nothing_of_this_name", 0)):
        monkeypatch.setattr(runtimes, "describe", lambda _fw, code=code: SimpleNamespace(cuda=code))
        assert runtimes.cuda(bare) == count
