"""Where a step's evidence comes from when this machine cannot run it; how a live one is visited."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course.base import i18n, paths
from course.exercise import walk
from course.exercise.walk import Taken, Visit
from course.lesson import lesson
from course.runs.conversation import Ask, Complete, FrameLook, StopPlace
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.process import Job, Run
from course.runs.record import LookResult
from course.runs.run_context import RunContext
from tests.exercise.watch.made import stored

PART = lesson.load("ch8-4").parts["pt"]
CUBLAS = next(s for s in PART.steps if s.id == "cublas")
PLACE = RunContext(Runtime("pt", "no-such-python", {}), Hub("embedded"), "cpu")


def test_without_a_gpu_and_a_recording_the_course_is_quoted() -> None:
    taken = walk.take(replace(PART, path=Path("/none/exercise.py")), CUBLAS, PLACE)
    assert (taken.verdict.evidence, taken.verdict.matched) == ("quoted", True)
    assert taken.fix == ""


def test_a_recording_is_judged_like_any_run(tmp_path: Path) -> None:
    """Made up in the shape of torch 2.13's error; none is shipped before a GPU was had."""
    part = replace(PART, path=tmp_path / "exercise.py")
    file = walk.recording(part, CUBLAS)
    file.parent.mkdir()
    frame = (
        '{"module": "torch.nn.functional", "file": "f.py", "function": "linear", "line": 1, '
        '"text": "", "script": false, "raises": false}'
    )
    events = [
        '{"event": "start", "format": 1, "versions": {"torch": "2.13.0"}}',
        '{"event": "exception", "type": "torch.AcceleratorError", "mro": '
        '["torch.AcceleratorError", "builtins.RuntimeError"], "message": '
        '"CUDA error: device-side assert triggered", "owner": null, "device": "cuda", '
        f'"frames": [{frame}]}}',
        '{"event": "end", "seconds": 1.0, "exit": 1}',
    ]
    file.write_text("\n".join(events))
    taken = walk.take(part, CUBLAS, PLACE)
    assert (taken.verdict.evidence, taken.verdict.matched) == ("recorded", True)
    assert taken.record.versions == {"torch": "2.13.0"}
    file.write_text("\n".join([events[0], events[2]]))
    assert not walk.take(part, CUBLAS, PLACE).verdict.matched


def test_the_real_hub_runs_on_a_sample_that_is_seen_in_the_script() -> None:
    healthy = PART.steps[-1]
    assert ".select(range(" in walk.script(PART, healthy, Hub("online"))
    assert ".select(range(" not in walk.script(PART, healthy, Hub("embedded"))
    assert PART.expects(online=True).margin == PART.online.outcome.margin
    assert PART.expects(online=False).margin == 0.20


RECORD = stored("missing-input-ids")
FIRST = PART.steps[0]


class Stopped(RunContext):
    """A place whose scripts have all stopped at the first fault, and answer each look."""

    def run(self, job: Job, *_: Any, converse: Any = None, **__: Any) -> Run:
        JOBS.append(job)
        if converse is not None:
            frames = (StopPlace("f", 3, "g()"), StopPlace("<module>", 9, "f()"))
            ask = Ask("look", "", 1, RECORD, frames=frames)
            while (answer := converse(ask)) is not None:
                SAID.append(answer)
                ask = replace(ask, result=LookResult(0, f"seen {answer.code}", None, 0.0))
        return Run(RECORD, (), "what it printed", warm=True)


JOBS: list[Job] = []
SAID: list[FrameLook] = []
HERE = Stopped(Runtime("pt", "no-such-python", {}), Hub("embedded"), "cpu")


@pytest.fixture(autouse=True)
def fresh() -> None:
    JOBS.clear()
    SAID.clear()


def test_a_visit_has_the_verdict_and_asks_for_each_look() -> None:
    """The lesson's looks are in the outermost frame, the learner's in the innermost."""
    looks, seen = PART.looks_at(FIRST.id), []

    def visit(taken: Taken, complete: Complete) -> Visit:
        assert (taken.verdict.matched, taken.looks, taken.warm) == (True, (), False)
        assert taken.fix
        for wanted in (looks[1], "batch"):
            result = yield wanted
            seen.append(result.output)

    taken = walk.take(PART, FIRST, HERE, visit=visit)
    assert [FrameLook(looks[1].code, 1), FrameLook("batch")] == SAID
    assert seen == [f"seen {looks[1].code}", "seen batch"]
    assert (JOBS[0].looks, JOBS[0].asks) == ((), ("look",))
    assert (taken.output, taken.warm, taken.verdict.matched) == ("what it printed", True, True)


def test_without_a_visit_the_looks_are_taken_by_themselves() -> None:
    walk.take(PART, FIRST, HERE)
    assert JOBS[0].looks == tuple(look.code for look in PART.looks_at(FIRST.id))
    assert SAID == []


def test_what_cannot_run_here_is_not_visited() -> None:
    def visit(taken: Taken, complete: Complete) -> Visit:
        raise AssertionError

    assert walk.take(PART, CUBLAS, HERE, visit=visit).verdict.evidence == "quoted"


def test_the_script_of_a_step_can_be_opened_as_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line for line, so that the places of a traceback are those of the file."""
    monkeypatch.setattr(paths, "cache", lambda: tmp_path)
    i18n.activate("zh")
    path = walk.keep_script(PART, FIRST, Hub("embedded"))
    assert path is not None
    walk.take(PART, FIRST, HERE)
    assert path.read_text("utf-8") == JOBS[0].script
    english = PART.text(FIRST.bugs).splitlines()
    lines = JOBS[0].script.splitlines()
    assert len(lines) == len(english)
    changed = [a for a, b in zip(english, lines, strict=True) if a != b]
    assert changed
    assert all(line.startswith("# ") for line in changed)
    assert walk.keep_script(PART, PART.steps[-1], Hub("embedded")) == path
    assert "DataCollatorWithPadding(tokenizer" in path.read_text("utf-8")
    (tmp_path / "file").touch()
    monkeypatch.setattr(paths, "cache", lambda: tmp_path / "file")
    assert walk.keep_script(PART, FIRST, Hub("embedded")) is None


def test_the_next_lesson_is_not_the_second_half_of_this_one() -> None:
    following = {n: walk.next_lesson(lesson.load(n).parts["pt"]) for n in lesson.ids()}
    assert following["ch3-2"] == "ch3-3"
    assert following["ch3-4"] == "ch8-4"
    assert following["ch8-4"] is None
    assert walk.next_lesson(lesson.load("ch8-4").parts["tf"]) is None
