"""What a grading has in place of services and displays."""

import importlib.util
from types import ModuleType

import pytest

from course_probe.exam import stand_ins


@pytest.mark.parametrize(("installed", "drawn"), [(None, True), (object(), False)])
def test_tables_draw_nothing_where_there_is_nothing_to_draw_with(
    monkeypatch: pytest.MonkeyPatch, installed: object, drawn: bool
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: installed)
    plotting = ModuleType("pandas.plotting._core")
    setattr(plotting, "_backends", {})  # noqa: B010
    stand_ins._skip_plots(plotting)
    backend = plotting._backends.get("matplotlib")
    assert (backend is not None) is drawn
    if backend is not None:
        axes = backend.plot([1, 2], kind="line")
        axes.set_xlabel("epoch")
        axes.figure.savefig("loss.png")
