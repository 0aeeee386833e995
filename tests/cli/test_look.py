"""The prompt in a stopped script, and a script that asks where nobody answers."""

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from rich.cells import cell_len
from rich.console import Console

from course.base import i18n
from course.cli.learner import copy_report
from course.cli.stage import look, look_prompt
from course.cli.stage.look_prompt import LineReader
from course.exercise import practice as practising
from course.exercise import working_copy as copies
from course.exercise.look import StoppableScript
from course.exercise.working_copy import Copy
from course.lesson import lesson
from course.runs.conversation import Ask
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.run_context import RunContext
from tests import documents
from tests.command import course
from tests.live.test_terminal import Terminal

pytestmark = pytest.mark.live
"""Each starts a process."""

PART = lesson.load("ch8-4").parts["pt"]
# The words by which the lesson's first fault is known.
CRASH = """\
data, trainer = [1, 2], None
library = {"__name__": "transformers.model"}
exec("def forward(): raise ValueError('You must specify exactly one of input_ids or "
     "inputs_embeds')", library)

def train(batch):
    labels = batch["label"]
    library["forward"]()

train({"label": 3})
"""
Typist = Callable[..., list[str]]


@pytest.fixture
def context(bare: Runtime) -> RunContext:
    return RunContext(bare, Hub("embedded", {}), timeout=30)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    return copies.read(copies.start(PART, PART.bugs, tmp_path / "ch8-4"))


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Typist:
    """Type these lines; the prompts that they were typed at."""

    def begin(*lines: str) -> list[str]:
        left, prompts = list(lines), list[str]()

        def line(self: LineReader, prompt: str) -> str:
            prompts.append(prompt)
            if not left:
                raise EOFError
            if left[0] == "^C":
                del left[0]
                raise KeyboardInterrupt
            return left.pop(0)

        monkeypatch.setattr(LineReader, "line", line)
        return prompts

    return begin


def text_of(copy: Copy, script: str) -> Copy:
    return replace(copy, text=script)


def test_a_prompt_opens_where_the_script_stopped(
    copy: Copy, context: RunContext, typing: Typist, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts = typing(
        "labels", "up", "labels", "up", "down", "down", "", "^C", "for n in data:", "    print(n)",
        "", "9", "1", "q", "not read any more",
    )  # fmt: skip
    status = look.look_around(StoppableScript.of_copy(text_of(copy, CRASH)), context)
    shown = capsys.readouterr().out.splitlines()
    assert status == 1, "a look has failed, and nobody sits at a terminal"
    assert shown[:3] == [
        "Stopped in line 8:",
        '    library["forward"]()',
        "  ValueError: You must specify exactly one of input_ids or inputs_embeds",
    ]
    assert shown[3].startswith('In `train`, line 8: `library["forward"]()`')
    suggested = shown.index("Type an expression, or one of these numbers:")
    assert "     trainer.train_dataset[0]" in shown[suggested + 2 : suggested + 4]
    rest = shown[next(i for i, text in enumerate(shown) if "`q` or Ctrl-D exits" in text) + 1 :]
    assert rest[0] == "3"
    assert rest[1].startswith("In `<module>`, line 10")
    assert rest[2] == "NameError: name 'labels' is not defined"
    # There is no frame above the outermost, and none below the innermost.
    assert [text[:15] for text in rest[3:6]] == [
        "In `<module>`, ",
        "In `train`, lin",
        "In `train`, lin",
    ]
    assert rest[6:] == [
        "", "1", "2", "9", "    trainer.train_dataset[0]",
        "AttributeError: 'NoneType' object has no attribute 'train_dataset'",
    ]  # fmt: skip
    assert prompts[8:11] == [">>> ", "... ", "... "]


@pytest.mark.parametrize(
    ("script", "first"),
    [
        ("x = 1\n", "The script has ended."),
        ("x = 1\nbreakpoint()\n", "Stopped in line 2:"),
        ("x = 1\nx.y\n", "Stopped in line 2:"),
        ("raise SystemExit(3)\n", "The script has ended."),
    ],
)
def test_it_says_first_where_the_script_is(
    copy: Copy,
    context: RunContext,
    typing: Typist,
    capsys: pytest.CaptureFixture[str],
    script: str,
    first: str,
) -> None:
    typing("q")
    assert look.look_around(StoppableScript.of_copy(text_of(copy, script)), context) == 0
    assert capsys.readouterr().out.splitlines()[0] == first


def test_a_script_that_takes_too_long_is_told(
    copy: Copy, context: RunContext, typing: Typist, capsys: pytest.CaptureFixture[str]
) -> None:
    typing("q")
    script = StoppableScript.of_copy(text_of(copy, "while True: pass\n"))
    assert look.look_around(script, replace(context, timeout=0.5)) == 1
    assert "took too long" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("script", "expression", "status", "stopped"),
    [
        ("x = 1\n", "x + 1", 0, None),
        ("x = 1\n", "y", 1, None),
        ("x = 1\n", None, 0, None),
        ("x = 1\nx.y\n", "x + 1", 0, 2),
        ("x = 1\nbreakpoint()\n", "x + 1", 0, 2),
        ("x = 1\ninput()\n", "x + 1", 0, 2),
        ("x = 1\n", "import os; os._exit(0)", 1, None),
    ],
)
def test_one_look_for_programs(
    copy: Copy,
    context: RunContext,
    capsys: pytest.CaptureFixture[str],
    script: str,
    expression: str | None,
    status: int,
    stopped: int | None,
) -> None:
    found = StoppableScript.of_copy(text_of(copy, script))
    assert look._look_once(found, context, expression, as_json=True) == status
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, documents.schemas()["look"])
    assert (told["stopped"] and told["stopped"]["line"]) == stopped
    outputs = [each["output"] for each in told["looks"]]
    assert outputs == (["2"] if expression == "x + 1" else [""] * (expression == "y"))
    if expression == "x + 1":
        assert look._look_once(found, context, expression, as_json=False) == status
        assert capsys.readouterr().out == "2\n"


@pytest.mark.parametrize(
    ("call", "problem"), [("breakpoint()", "breakpoint"), ("input('? ')", "input")]
)
def test_a_question_without_an_answer_is_one_sentence(
    copy: Copy,
    context: RunContext,
    capsys: pytest.CaptureFixture[str],
    call: str,
    problem: str,
) -> None:
    done = practising.run(text_of(copy, f"x = 1\n{call}\n"), context)
    assert done.attempt.verdict.problem == problem
    assert not done.attempt.new
    assert done.now.behind == ()
    for lang in ("en", "zh", "ru"):
        i18n.activate(lang)
        assert copy_report.tell(done, context, as_json=False) == 1
        told = capsys.readouterr().out
        assert "2" in told
        assert f"`{problem}()`" in told
        for word in ("BdbQuit", "EOFError", "Traceback"):
            assert word not in told


def test_a_script_left_in_the_debugger_is_no_attempt(
    copy: Copy, context: RunContext, typing: Typist
) -> None:
    typing("q")
    before = practising.run(text_of(copy, "x = 1\n"), context).now
    done = practising.run(
        text_of(copy, "x = 1\nbreakpoint()\n"),
        context,
        converse=lambda ask: look_prompt.typed_answer(look.consoles.out(), LineReader(), ask),
    )
    assert done.attempt.verdict.problem == "interrupted"
    assert done.now == before


def test_the_prompts_lines_keep_within_the_terminal(
    copy: Copy, context: RunContext, typing: Typist
) -> None:
    script = StoppableScript.of_copy(text_of(copy, CRASH))
    asked: list[Ask] = []
    script.run(context, asked.append, ("look",))
    for lang, columns in itertools.product(("en", "zh", "ru"), (60, 80, 120)):
        i18n.activate(lang)
        typing("q")
        console = Console(width=columns, force_terminal=True, color_system=None)
        with console.capture() as captured:
            look_prompt.LookPrompt(console, script, online=False)(asked[0])
        lines = captured.get().splitlines()
        assert len(lines) > 8
        assert all(cell_len(line) <= columns for line in lines), lines


def test_a_script_of_ones_own_is_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def half(n):\n    return n / (n - n)\n\n\nhalf(41)\n")
    done = course("look", str(path), "n + 1")
    assert (done.returncode, done.stdout) == (0, "42\n")
    document = json.loads(course("look", str(path), "n", "--json").stdout)
    assert document["stopped"]["line"] == 2
    assert document["looks"][0]["output"] == "41"
    raised = course("look", str(path), "nothing")
    assert raised.returncode == 1
    assert "NameError" in raised.stdout


TYPES = """\
import sys
from course.cli.stage.look_prompt import LineReader
from course.cli.terminal import ipython_prompt
if sys.argv[1] == "readline":
    ipython_prompt.reader = lambda history, complete: None
reader = LineReader()
with reader.remembering():
    for _time in range(3):
        try:
            print("typed", repr(reader.cell(lambda text: ("alpha.beta", "alpha.beta")[:1])))
        except KeyboardInterrupt:
            print("given up")
print("kept")
"""


@pytest.mark.parametrize("library", ["ipython_prompt", "readline"])
@pytest.mark.live
def test_statements_are_typed_with_completion_and_a_history(tmp_path: Path, library: str) -> None:
    if library == "ipython_prompt":
        pytest.importorskip("prompt_toolkit")
    with Terminal(library, program=("-c", TYPES), COURSE_CACHE=str(tmp_path)) as shown:
        shown.until(">>>")
        shown.press("alp\t")
        shown.until(">>> alpha.beta")
        shown.press("\r")
        shown.until("typed 'alpha.beta'\n>>>")
        shown.press("half")
        shown.until(">>> half")
        shown.press("\x03")
        shown.until("given up\n>>>")
        shown.press("if x:\r")
        shown.until("...")
        shown.press("    x = 1\r")
        shown.until("...     x = 1\n...")
        shown.press("\r")
        shown.until(r"typed 'if x:\n    x = 1\n'")
        shown.until("kept")
    with Terminal(library, program=("-c", TYPES), COURSE_CACHE=str(tmp_path)) as shown:
        shown.until(">>>")
        shown.press("\x1b[A")
        shown.until(">>>     x = 1")
        shown.press("\x1b[A\x1b[A\r")
        shown.until("typed 'alpha.beta'")
