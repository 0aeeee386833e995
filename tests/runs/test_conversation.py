"""What a script asks for, and what is said to it: real processes, without a framework."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.runs.conversation import Ask, FrameLook
from course.runs.environment.runtime import Runtime
from course.runs.process import Job, Run
from tests.runs.conftest import gone, noted_in, run_each

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("each_start")]
"""Each starts a process."""

CRASH = """\
scale = 3
def half(batch):
    rest = [n for n in batch if n % 2]
    return batch / 2
def train(batch):
    return half(batch)
train([1, 2, 3])
"""
Answers = list[str | FrameLook | None]


def converse(
    runtime: Runtime, job: Job, answers: Answers, timeout: float = 30
) -> tuple[Run, list[Ask]]:
    """Run a script that is answered so; what it asked."""
    asked: list[Ask] = []
    left = iter(answers)

    def answer(ask: Ask) -> str | FrameLook | None:
        asked.append(ask)
        return next(left)

    done = run_each(runtime, job, timeout=timeout, converse=answer)
    assert next(left, "nothing") == "nothing", "it asked for less"
    return done, asked


def shown(ask: Ask) -> str:
    assert ask.result is not None
    return ask.result.error or ask.result.output


def test_a_crashed_script_is_looked_into_with_the_names_of_its_frames(bare: Runtime) -> None:
    looks: Answers = [
        "rest, scale, [n * scale for n in rest]",
        FrameLook("rest", 1),
        FrameLook("batch", 1),
        FrameLook("scale = 4", 2),
        FrameLook("scale", 2),
        "once = 1",
        "print(once)\nonce + 1",
        FrameLook("once", 3),
        "1 +",
        "{}['a']",
        None,
    ]
    done, asked = converse(bare, Job(CRASH, looks=("scale",)), looks)
    assert [(p.function, p.line, p.text) for p in asked[0].frames] == [
        ("half", 4, "return batch / 2"),
        ("train", 6, "return half(batch)"),
        ("<module>", 7, "train([1, 2, 3])"),
    ]
    assert asked[0].record.status == "exception"
    assert [look.output for look in asked[0].record.looks] == ["3"]
    assert [shown(ask).partition("\n")[0] if ask.result else "" for ask in asked] == [
        "",
        "([1, 3], 3, [3, 9])",
        "NameError: name 'rest' is not defined",
        "[1, 2, 3]",
        "",
        "4",
        "",
        "1",
        "IndexError: no such frame",
        "SyntaxError: invalid syntax (<unknown>, line 1)",
        "KeyError: 'a'",
    ]
    # The record is that of the script: what was looked at is nobody's business.
    assert (done.record.status, done.record.exit_code) == ("exception", 1)
    assert [look.output for look in done.record.looks] == ["3"]


def test_a_healthy_script_is_looked_into_with_the_names_of_its_module(bare: Runtime) -> None:
    done, asked = converse(bare, Job("texts = ['a']"), ["texts.append(1)", "texts", None])
    assert asked[0].frames == ()
    assert shown(asked[2]) == "['a', 1]"
    assert (done.record.status, done.record.exit_code) == ("finished", 0)


def test_names_and_attributes_are_completed(bare: Runtime) -> None:
    found = []

    def answer(ask: Ask) -> None:
        found.append(ask.complete("res", None))
        found.append(ask.complete("res", 1))
        found.append(ask.complete("batch.app", None))
        found.append(ask.complete("nobody.app", None))

    run_each(bare, Job(CRASH), converse=answer)
    assert found == [("rest",), (), ("batch.append(",), ()]


def test_input_is_answered_and_its_end_is_an_error(bare: Runtime) -> None:
    script = "name = input('Name? ')\nprint('Hello', name)\ninput()\n"
    done, asked = converse(bare, Job(script, asks=("input",)), ["Ada", None])
    assert [(ask.kind, ask.prompt) for ask in asked] == [("input", "Name? "), ("input", "")]
    assert done.output.startswith("Hello Ada\n")
    assert done.record.raised is not None
    assert done.record.raised.name == "EOFError"
    assert done.record.raised.own is not None
    assert done.record.raised.own.line == 3


@pytest.mark.parametrize("call", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_a_breakpoint_opens_a_debugger(bare: Runtime, call: str) -> None:
    script = f"def f(x):\n    {call}\n    y = x + 1\n    return y\na = f(1)\nb = a\nc = b\n"
    commands: Answers = ["p x", "n", "n", "p y", "w", "l", "n", "n", "n", "p a", "c", None]
    done, asked = converse(bare, Job(script), commands)
    prompts = [ask.prompt for ask in asked]
    assert prompts[0].startswith(f"> exercise.py(2)f()\n-> {call}\n")
    assert prompts[0].endswith("(Pdb) ")
    assert prompts[1] == "1\n(Pdb) "
    assert prompts[5].startswith("  exercise.py(5)<module>()\n-> a = f(1)\n> exercise.py(")
    assert "  5  \ta = f(1)\n" in prompts[6]
    # On from one statement of the script to the next, through nothing of what runs it.
    assert "course_probe" not in "".join(prompts)
    assert "--Call--" not in "".join(prompts)
    assert asked[-1].kind == "look"
    assert done.record.status == "finished"


def test_the_last_line_of_a_script_may_be_a_breakpoint(bare: Runtime) -> None:
    _done, asked = converse(bare, Job("x = 1\nbreakpoint()"), ["p x", "c", None])
    assert [ask.kind for ask in asked] == ["debugger", "debugger", "look"]
    assert asked[1].prompt == "1\n(Pdb) "


def test_the_debugger_is_quit(bare: Runtime) -> None:
    script = "try:\n    breakpoint()\n    x = 1\nexcept Exception:\n    x = 2\nprint(x)\n"
    for last in ("q", None):
        done, asked = converse(bare, Job(script), [last])
        assert [ask.kind for ask in asked] == ["debugger"]
        assert (done.record.status, done.record.raised) == ("interrupted", None)


@pytest.mark.parametrize("converses", [True, False])
def test_without_a_terminal_a_breakpoint_ends_the_script_at_its_line(
    bare: Runtime, converses: bool
) -> None:
    script = "x = 1\nbreakpoint()\nx = 2\n"
    job = Job(script, asks=("look",))
    if converses:
        done, asked = converse(bare, job, ["x", None])
        assert shown(asked[1]) == "1"
    else:
        done = run_each(bare, job)
    assert done.record.raised is not None
    assert done.record.raised.name == "bdb.BdbQuit"
    assert done.record.raised.own is not None
    assert done.record.raised.own.line == 2


def test_nothing_asks_within_a_look(bare: Runtime) -> None:
    looks: Answers = ["input()", "breakpoint()", "1", None]
    _done, asked = converse(bare, Job("pass"), looks)
    assert [shown(ask).partition(":")[0] for ask in asked[1:]] == ["EOFError", "bdb.BdbQuit", "1"]


def test_a_look_may_end_the_conversation(bare: Runtime) -> None:
    done, _asked = converse(bare, Job("raise ValueError"), ["exit()"])
    assert (done.record.status, done.record.exit_code) == ("exception", 1)
    done, _asked = converse(bare, Job("pass"), ["import os; os._exit(7)"])
    assert (done.record.status, done.record.exit_code) == ("finished", 0)


def test_an_interrupt_ends_a_look_and_not_the_conversation(bare: Runtime) -> None:
    shows: list[str] = []
    endless: Answers = ["import time; time.sleep(600)", "while True: pass"]
    left: Iterator[str | FrameLook | None] = iter([*endless, "1 + 1", None])

    def answer(ask: Ask) -> str | FrameLook | None:
        if ask.result is not None:
            shows.append(shown(ask))
        if len(shows) < len(endless):
            press = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
            press.start()
        return next(left)

    run_each(bare, Job("pass"), converse=answer)
    assert shows == ["KeyboardInterrupt", "KeyboardInterrupt", "2"]


def test_a_look_may_take_as_long_as_a_run(bare: Runtime) -> None:
    """And the run's own time stands still while a person thinks."""
    shows: list[str] = []

    def answer(ask: Ask) -> str | None:
        if ask.kind == "input":
            # Longer than the run may take.
            threading.Event().wait(2.5)
            return ""
        if ask.result is not None:
            shows.append(shown(ask))
        return [*["1", "while True: pass", "2"][len(shows) :], None][0]

    done = run_each(bare, Job("input()"), timeout=2, converse=answer)
    assert (done.record.status, shows) == ("finished", ["1", "KeyboardInterrupt", "2"])


def test_what_the_answer_raises_ends_the_run(bare: Runtime, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    script = f"import os\nopen({str(noted)!r}, 'w').write(f'{{os.getpid()}}\\n')\n"

    def answer(ask: Ask) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_each(bare, Job(script), converse=answer)
    assert gone(noted)


def test_a_script_does_not_outlive_whom_it_asks(each_start: str, tmp_path: Path) -> None:
    if each_start != "cold":
        pytest.skip("a warm process notices by its connection: see test_process.py")
    noted = tmp_path / "pid"
    script = (
        "import ctypes, os\n"
        "ctypes.CDLL(None).prctl(1, 0)\n"  # as where the kernel does not tell
        f"open({str(noted)!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
    )
    asker = (
        "import sys, time\n"
        "from course.runs import process\n"
        "from course.runs.environment.runtime import Runtime\n"
        "process.run(Runtime('pt', sys.executable, {}), process.Job(sys.argv[1]),\n"
        "            environment={}, converse=lambda ask: time.sleep(600))\n"
    )
    with subprocess.Popen([sys.executable, "-c", asker, script]) as parent:
        try:
            noted_in(noted)
            threading.Event().wait(0.3)
        finally:
            parent.kill()
    assert gone(noted)
