"""Scripts that need a framework which their own environment lacks."""

import pytest

from course.diagnosis import user_script
from course.runs.environment.runtime import Runtime, RuntimeMissing
from course.runs.hub import Hub
from course.runs.run_context import RunContext

KERAS = "from transformers import TFAutoModelForSequenceClassification\n"
BARE = Runtime("pt", "python", {}, ())
OURS = Runtime("tf", "/ours/bin/python", {}, ())


def test_what_is_lacking_is_told_with_what_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(framework: str) -> Runtime:
        raise RuntimeMissing("It is not installed.", framework)

    monkeypatch.setattr(user_script, "locate", missing)
    found = user_script.find_beside(KERAS, BARE)
    assert found == user_script.Beside("tensorflow", "tf", None)
    assert "`course runtime install tf`" in found.sentence(is_taken=False)


def test_our_environment_is_taken_unless_another_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def context(python: str | None, _hub: str | None, _timeout: float | None) -> RunContext:
        asked.append(python)
        return RunContext(BARE, Hub("online"))

    monkeypatch.setattr(user_script, "locate", lambda _framework: OURS)
    monkeypatch.setattr(user_script, "find_context", context)
    _context, found = user_script.find_diagnosed(KERAS, None, None, static=False)
    assert asked == [None, OURS.python]
    assert found is not None
    assert f"`{OURS.python}`" in found.sentence(is_taken=True)
    assert f"`--python {OURS.python}`" in found.sentence(is_taken=False)
    for named, static in (("/theirs/bin/python", False), (None, True)):
        asked.clear()
        user_script.find_diagnosed(KERAS, named, None, static=static)
        assert asked == [named]
    asked.clear()
    assert user_script.find_diagnosed("import torch\n", None, None, static=False)[1] is None
    assert asked == [None]
