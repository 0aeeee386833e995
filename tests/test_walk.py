"""Where a step's evidence comes from when this machine cannot run it."""

from dataclasses import replace
from pathlib import Path

from course.exercise import walk
from course.lesson import lesson
from course.run.environment.runtime import Runtime
from course.run.hub import Hub
from course.run.run_context import RunContext

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
    stored = walk.recording(part, CUBLAS)
    stored.parent.mkdir()
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
    stored.write_text("\n".join(events))
    taken = walk.take(part, CUBLAS, PLACE)
    assert (taken.verdict.evidence, taken.verdict.matched) == ("recorded", True)
    assert taken.record.versions == {"torch": "2.13.0"}
    stored.write_text("\n".join([events[0], events[2]]))
    assert not walk.take(part, CUBLAS, PLACE).verdict.matched


def test_the_real_hub_runs_on_a_sample_that_is_seen_in_the_script() -> None:
    healthy = PART.steps[-1]
    assert ".select(range(" in walk.script(PART, healthy, Hub("online"))
    assert ".select(range(" not in walk.script(PART, healthy, Hub("embedded"))
    assert PART.expects(online=True).margin == PART.online.outcome.margin
    assert PART.expects(online=False).margin == 0.20
