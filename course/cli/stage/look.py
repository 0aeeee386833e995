"""`course look`: run an exercise to where it stops, and look around in it."""

import sys
from dataclasses import replace
from typing import Any

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.environment.run_place import find_context
from course.cli.learner.own_copy import find_copy
from course.cli.script import own_script
from course.cli.stage import look_prompt
from course.cli.stage.look_prompt import LookPrompt
from course.cli.terminal import consoles, live
from course.cli.terminal.options import (
    cold_option,
    copy_argument,
    device_option,
    fw_option,
    hub_option,
    json_option,
    timeout_option,
)
from course.diagnosis import user_script
from course.diagnosis.user_script import StoppableUserScript
from course.exercise.look import Stoppable, StoppableScript
from course.judge.verdict import PROBLEMS
from course.lesson import lesson
from course.runs.conversation import Ask, FrameLook
from course.runs.process import Run
from course.runs.record import LookResult, RunRecord
from course.runs.run_context import RunContext


@copy_argument
@click.argument(
    "expression",
    required=False,
    metavar="EXPRESSION",
    help=N_("The expression to evaluate where the script stops. If not given: a prompt opens."),
)
@fw_option
@click.option(
    "--step", metavar="STEP", help=N_("Inspect this step of the lesson instead of your own copy.")
)
@hub_option
@timeout_option
@device_option
@cold_option
@json_option
def look(
    target: str | None,
    expression: str | None,
    fw: str | None,
    step: str | None,
    hub: str,
    timeout: float,
    device: str | None,
    cold: bool,
    as_json: bool,
) -> int:
    """Look around in the stopped script; 1 where an expression given here raised."""
    script: Stoppable
    if step is not None:
        if target is None or target not in lesson.ids():
            sentence = _("{option} can only be used with {lesson}.")
            raise UserError(sentence.format(option="`--step`", lesson="`LESSON`"))
        parts = lesson.walked_from(lesson.find_part(target, fw), step)
        context = find_context(parts[0], hub, timeout, device=device, cold=cold, quiet=as_json)
        found = next(s for s in parts[0].steps if s.id == step)
        script = StoppableScript.of_step(parts[0], found, context)
    elif (written := own_script.find(target)) is not None:
        context = replace(user_script.find_context(None, None, timeout), chosen=device)
        script = StoppableUserScript(written)
    else:
        copy = find_copy(target, fw)
        context = find_context(copy.part, hub, timeout, device=device, cold=cold, quiet=as_json)
        script = StoppableScript.of_copy(copy)
    if expression is None and not as_json:
        return look_around(script, context)
    return _look_once(script, context, expression, as_json=as_json)


def look_around(script: Stoppable, context: RunContext) -> int:
    """Open a prompt in the stopped script; 1 where there is none, or a look of a pipe raised."""
    console = consoles.out()
    prompt = LookPrompt(console, script, online=context.online)
    begun = False

    def answer(ask: Ask) -> str | FrameLook | None:
        nonlocal begun
        begun = begun or ask.kind == "look"
        return prompt(ask)

    is_terminal = sys.stdin.isatty()
    with prompt.remembering(), live.listening(console) as listen:
        done = script.run(
            context,
            listen.paused(answer),
            ("look", "input", "debugger") if is_terminal else ("look",),
            listen,
        )
    _tell(done, begun=begun)
    return int(not begun or (prompt.failed and not is_terminal))


def _tell(done: Run, *, begun: bool) -> None:
    """Say why there was nothing to look at, and what else did not go as it was to."""
    if done.note:
        consoles.note(done.note)
    if not begun:
        problem = PROBLEMS.get(done.record.status, PROBLEMS["died"])
        consoles.paragraph(consoles.err(), _(problem), style="red")


def _look_once(
    script: Stoppable, context: RunContext, expression: str | None, *, as_json: bool
) -> int:
    """Evaluate one expression, and print what it shows."""
    asked: list[Ask] = []

    def answer(ask: Ask) -> str | None:
        asked.append(ask)
        return expression if len(asked) == 1 else None

    with live.listening(consoles.err()) as listen:
        done = script.run(context, answer, ("look",), listen)
    results = [ask.result for ask in asked if ask.result is not None]
    if as_json:
        consoles.document(_document(script, done.record, expression, results))
    else:
        _tell(done, begun=bool(asked))
        for result in results:
            look_prompt.show_result(consoles.out(), result)
    complete = len(results) == (expression is not None)
    return int(not asked or not complete or any(r.error is not None for r in results))


def _document(
    script: Stoppable, record: RunRecord, expression: str | None, results: list[LookResult]
) -> dict[str, Any]:
    return {
        "path": str(script.path),
        "stopped": _stop(record),
        "looks": [
            {"code": expression, **consoles.fields_of(result, "output", "error", "seconds")}
            for result in results
        ],
    }


def _stop(record: RunRecord) -> dict[str, Any] | None:
    """Describe where the script has stopped; None where it came to its end."""
    if record.raised is not None:
        own = record.raised.own
        line = own.line if own is not None else None
        return {"line": line, "error": look_prompt.last_line(record)}
    return None if record.status == "finished" else {"line": None, "error": record.status}
