"""The hooks of one process: an exception is reported once, and each set starts empty."""

import importlib
import importlib.abc
import importlib.util
import io
import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from course_probe.after_import import call_after_import, call_before_import
from course_probe.event_log import EventLog
from course_probe.exception_report import OwnScript, report_failure
from course_probe.guard import noted
from course_probe.hooks.torch.forward import ForwardHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.instrument import Instrument
from course_probe.ledger import transforms
from tests.probe.conftest import events


def test_an_exception_that_leaves_two_methods_is_reported_once(
    log: EventLog, out: io.StringIO
) -> None:
    def report(error: BaseException, *, worker: bool = False) -> None:
        report_failure(error, OwnScript(Path(__file__)), log, worker=worker)

    instrument = Instrument(log, report)
    first, second = ValueError("first"), ValueError("second")
    for error in (first, first, second):
        instrument.report_once(error)
    assert [(e["event"], e["message"], e["worker"]) for e in events(out)] == [
        ("failed", "first", False),
        ("failed", "second", False),
    ]


def test_nothing_is_written_where_nothing_was_trained(log: EventLog, out: io.StringIO) -> None:
    instrument = Instrument(log, lambda error, *, worker=False: None)
    instrument.abandon()
    instrument.finish()
    assert events(out) == []


def test_only_a_script_that_has_ended_has_left_its_trainer_untrained(
    log: EventLog, out: io.StringIO
) -> None:
    instrument = Instrument(log, lambda error, *, worker=False: None)
    instrument._trainer.made = 1
    instrument.finish(ended=False)
    assert events(out) == []
    instrument.finish()
    assert [e["values"] for e in events(out)] == [{"trainers": 1, "steps_trained": 0}]


def test_what_could_not_be_noted_is_counted(log: EventLog, out: io.StringIO) -> None:
    instrument = Instrument(log, lambda error, *, worker=False: None)
    assert noted(max, 1, 2) == 2
    assert noted(max, 1, "two") is None
    instrument.finish()
    assert [e["values"] for e in events(out)] == [{"notes_failed": 1}]
    Instrument(log, lambda error, *, worker=False: None).finish()
    assert len(events(out)) == 1


def test_a_training_of_a_trainer_takes_back_the_figures_before_it(
    log: EventLog, out: io.StringIO
) -> None:
    trainer = TrainerHooks(log, lambda error, *, worker=False: None)
    ForwardHooks(log, trainer, VitalsHooks(log))
    log.write_figures({"rows": 8.0})
    for call in trainer.at_begin:
        call()
    assert [e["values"] for e in events(out)] == [{"rows": 8.0}, {"rows": None}]


def test_a_step_by_hand_is_over_when_a_trainer_begins(log: EventLog, out: io.StringIO) -> None:
    instrument = Instrument(log, lambda error, *, worker=False: None)
    loop = instrument._training_loop
    optimizer = SimpleNamespace(param_groups=[{"lr": 0.1}])
    loop._optimizer, loop._is_training, loop.steps = lambda: optimizer, True, 1
    for call in instrument._trainer.at_begin:
        call()
    assert [e["step"] for e in events(out) if e["event"] == "trained"] == [1]
    instrument.finish()
    assert len([e for e in events(out) if e["event"] == "trained"]) == 1


def test_a_module_that_is_there_already_is_hooked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[ModuleType] = []
    call_after_import("json", found.append)
    assert found == [json]


def test_a_module_is_hooked_once_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "framework_of_a_test.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found: list[SimpleNamespace] = []
    call_after_import("framework_of_a_test", lambda m: found.append(SimpleNamespace(x=m.x)))
    assert found == []
    module = importlib.import_module("framework_of_a_test")
    assert [each.x for each in found] == [module.x]


def test_of_a_loader_that_modules_share_only_one_module_is_hooked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pytest's own loader is such a one."""

    class Shared(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
            return ModuleSpec(name, self) if name.startswith("shared_") else None

        def exec_module(self, module: ModuleType) -> None:
            if module.__name__ == "shared_first":
                importlib.import_module("shared_second")

    monkeypatch.setattr(sys, "meta_path", [Shared(), *sys.meta_path])
    found: list[str] = []
    call_after_import("shared_first", lambda m: found.append(m.__name__))
    for name in ("shared_first", "shared_third"):
        importlib.import_module(name)
    assert found == ["shared_first"]


def test_who_only_asks_for_a_module_does_not_use_up_the_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Transformers asks so for datasets, long before a script imports it. All that wait are told,
    in their order.
    """
    (tmp_path / "asked_for.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found: list[int] = []
    for number in range(3):
        call_after_import("asked_for", lambda _m, n=number: found.append(n))
    assert importlib.util.find_spec("asked_for") is not None
    assert found == []
    importlib.import_module("asked_for")
    assert found == [0, 1, 2]


def test_what_is_heralded_is_called_before_the_module_and_its_own_hooks_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "heralded.py").write_text("import sys\nsaid = sys.modules['__main__'].order[:]\n")
    order: list[str] = []
    monkeypatch.setattr(sys.modules["__main__"], "order", order, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))

    def begin() -> None:
        order.append("before")
        call_after_import("heralded", lambda _module: order.append("after"))

    call_before_import("heralded", begin)
    assert (bool(importlib.util.find_spec("heralded")), order) == (True, [])
    assert importlib.import_module("heralded").said == ["before"]
    assert order == ["before", "after"]
    call_before_import("heralded", lambda: order.append("now"))
    assert order[-1] == "now"
    del sys.modules["heralded"]


@pytest.mark.parametrize("name", ["_is_fx_tracing_flag", "_get_is_fx_tracing", "of another time"])
def test_that_fx_traces_is_told_by_each_pytorch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until PyTorch 2.14 a flag says so, since 2.15 a function."""
    graphs = SimpleNamespace(**{name: lambda: True})
    monkeypatch.setitem(sys.modules, "torch.fx._symbolic_trace", graphs)
    core = SimpleNamespace(_is_tracing=int, _len_torch_dispatch_stack=int, _functorch=None)
    torch: Any = SimpleNamespace(_C=core)
    assert transforms.looker(torch)() is name.startswith("_")
