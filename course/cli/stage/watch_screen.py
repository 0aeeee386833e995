"""The screen of a watch, drawn from its state and nothing else."""

import io
import time
from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from course.base.i18n import N_, _, ngettext
from course.cli.learner import copy_report
from course.cli.terminal import consoles, live
from course.exercise.watch.state import State
from course.judge.verdict import OPEN
from course.lesson.catalogue import catalogue
from course.render import lesson_blocks, printed, run_blocks, terminal, vitals

KEYS = (
    ("h", N_("hint")),
    ("f", N_("fix")),
    ("n", N_("apply")),
    ("l", N_("list")),
    ("v", N_("vital signs")),
    ("e", N_("look")),
    ("o", N_("output")),
    ("q", N_("quit")),
)
PRINTED = 6
"""Rows of what the script prints that are shown beside all else: the last ones."""
DOTS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def draw(console: Console, state: State, name: str) -> list[Text]:
    """Draw the whole screen as lines, never more than the terminal has."""
    height = max(1, console.height)
    head = _lines(console, lambda c: _head(c, state, name))
    foot = _lines(console, lambda c: _foot(c, state))
    body = _lines(console, lambda c: _body(c, state))
    panel = _lines(console, lambda c: _panel(c, state))
    # The keys are always there; where it is narrow, what a key was answered comes before the rest.
    head = _cut(head, min(height - 1, max(2, height - len(foot))))
    foot = [*_cut(foot[:-1], height - 1 - len(head)), *foot[-1:]]
    room = height - len(head) - len(foot)
    # What was asked for comes first.
    left = room - min(len(body), 4)
    if state.panel == "hint" and len(panel) > left > 1:
        # The last hint is the one that was asked for.
        panel = [Text("…", consoles.QUIET), *panel[1 - left :]]
    panel = _cut(panel, left)
    output = _lines(console, lambda c: _printed(c, state, room - len(panel) - len(body)))
    body = _cut(body, room - len(panel) - len(output))
    gap = [Text()] * (room - len(body) - len(panel) - len(output))
    return [*head, *body, *panel, *gap, *output, *foot]


def _cut(lines: list[Text], room: int) -> list[Text]:
    if len(lines) <= room:
        return lines
    return [*lines[: max(0, room - 1)], Text("…", consoles.QUIET)][: max(0, room)]


def _lines(console: Console, write: Callable[[Console], None]) -> list[Text]:
    """Return the text that `write` prints, as lines for this console."""
    # It holds what the terminal's encoding can: nothing else is to be drawn.
    file = io.TextIOWrapper(io.BytesIO(), console.encoding, errors="replace", newline="\n")
    page = Console(
        file=file,
        width=console.width,
        force_terminal=console.is_terminal,
        color_system=console.color_system,  # type: ignore[arg-type]
        no_color=console.no_color,
        highlight=False,
        legacy_windows=False,
    )
    write(page)
    file.seek(0)
    text = file.read()
    lines: list[Text] = []
    for line in text.removesuffix("\n").split("\n") if text else ():
        lines.extend(Text.from_ansi(line).wrap(page, console.width) or [Text()])
    return lines


def _head(page: Console, state: State, name: str) -> None:
    copy = state.copy or (state.done.copy if state.done else None)
    title = Text(" ").append(consoles.verbatim(name), "bold")
    if copy is not None:
        title.append(f"  {consoles.verbatim(copy.part.lesson)}", consoles.QUIET)
    if state.done is not None:
        now = state.done.now
        title.append("  ").append_text(consoles.bar(page, len(now.behind), len(now.bugs)))
    page.print(title, soft_wrap=True)
    page.print(_status(page, state), soft_wrap=True)


def _status(page: Console, state: State) -> Text:
    """Return the present status in one line."""
    if state.trouble:
        return consoles.styled(page, f" {state.trouble}", "bold yellow")
    if state.running:
        progress_line = live.describe_event(state.line) if state.line is not None else ""
        if state.warming and not progress_line:
            progress_line = _(
                "Starting a warm runtime (a process that has loaded the libraries). It makes the "
                "next runs start faster."
            )
        dots = DOTS if consoles.shows(page, DOTS) else "-\\|/"
        mark = dots[int(time.monotonic() * 10) % len(dots)]
        line = Text(f" {mark} ", "yellow")
        line.append_text(consoles.styled(page, progress_line or _("Running …")))
        line.truncate(page.width, overflow="ellipsis")
        return line
    if state.done is None:
        return Text()
    if state.done.attempt.healthy:
        sentence = _("The script trains, and the model has learned.")
        return Text(f" {consoles.marks(page)[0]} {sentence}", "bold green")
    verdict = state.done.attempt.verdict
    if verdict.problem == "breakpoint":
        sentence = _("Stopped at a breakpoint. Press `e` to inspect the script there.")
        return consoles.styled(page, f" {sentence}", "bold yellow")
    if verdict.problem in OPEN and not verdict.match and not verdict.raised:
        sentence = _("It is not known yet whether the script trains the model well.")
        return Text(f" {consoles.marks(page)[2]} {sentence}", "bold yellow")
    sentence = (
        _("The script has a fault. Fix it and save.")
        if verdict.match or verdict.raised
        else _("The script does not train the model well yet. Edit it and save.")
    )
    return Text(f" {consoles.marks(page)[1]} {sentence}", "bold red")


def _body(page: Console, state: State) -> None:
    """Print the run under way, where it trains; else the results of the last one."""
    if state.panel == "output":
        return
    if state.copy is not None and _is_training(state):
        page.print()
        terminal.draw(page, [run_blocks.curve(state.losses, state.copy.part.outcome, state.last)])
    elif state.done is not None and not state.trouble:
        if state.stale:
            older = _("The output below is from the script before the last save.")
            consoles.paragraph(page, older, style=consoles.QUIET)
        if state.panel == "list":
            _standing(page, state)
        elif state.panel == "vitals":
            terminal.draw(page, vitals.vitals(state.done.run.record.vitals, state.part))
        elif state.panel:
            # Room is short, and what was asked for comes first.
            copy_report.brief(page, state.done, state.choice)
        else:
            copy_report.observed(page, state.done, state.choice)


def _printed(page: Console, state: State, room: int) -> None:
    """Print the last rows of the script's output; fewer where there is not much room."""
    lines = state.output.lines
    if state.panel or state.trouble or not lines:
        return
    # Of a question, each answer is to be seen.
    least = 0 if state.choice is not None else min(3, page.height // 6)
    most = min(PRINTED, max(room - 1, least))
    if most <= 0:
        return
    shown = [row for line in lines[-most:] for row in printed.rows(page, line.text)][-most:]
    if room > len(shown):
        page.print()
    for row in shown:
        page.print(row, soft_wrap=True)


def _is_training(state: State) -> bool:
    """Return whether the run under way has come so far that its curve is in view."""
    return state.running and len(state.losses) > 1


def _panel(page: Console, state: State) -> None:
    # A hint and a fix are about the last run's fault, and its curve is the new run's.
    if state.panel in ("hint", "fix") and _is_training(state):
        return
    if state.panel == "hint":
        of = state.hints[-1].level if state.hints else 0
        for shown in state.hints:
            page.print()
            heading = _("Hint {n}: {heading}").format(n=shown.level, heading=shown.heading)
            consoles.paragraph(page, heading, style="bold yellow")
            # The rungs before are known already; room is short.
            for text in shown.texts if shown.level == of else shown.texts[:1]:
                consoles.paragraph(page, text)
    elif state.panel == "output":
        pages = printed.pages(state.output)
        if pages:
            page.print()
            printed.draw(page, pages[min(state.part, len(pages) - 1)], state.output.file)
    elif state.panel == "fix" and state.fix is not None and state.fix.diff:
        terminal.draw(page, lesson_blocks.patch(state.fix.diff))
    elif state.panel == "mended" and state.mended is not None:
        found = state.mended
        fault = catalogue()[found.bug.fault]
        terminal.draw(page, lesson_blocks.beside(fault, found.bug, found.own, found.official))


def _standing(page: Console, state: State) -> None:
    """Print each bug of the exercise: behind, biting, or not seen yet."""
    if state.done is None:
        return
    now, attempt = state.done.now, state.done.attempt
    page.print()
    done, bites, unseen = consoles.marks(page)
    biting = attempt.bug.fault if attempt.bug is not None else None
    for fault in now.bugs:
        if fault in now.behind:
            page.print(Text(f"  {done} {consoles.verbatim(fault)}", "green"), soft_wrap=True)
        elif fault == biting:
            name = fault if state.choice is None else _("the current one (guess which)")
            page.print(Text(f"  {bites} {consoles.verbatim(name)}", "red"), soft_wrap=True)
        elif fault in now.partly:
            page.print(Text(f"  {unseen} {consoles.verbatim(fault)}", "yellow"), soft_wrap=True)
        else:
            later = _("not appeared yet")
            page.print(Text(f"  {unseen} {later}", consoles.QUIET), soft_wrap=True)
    runs = ngettext("{n} run so far", "{n} runs so far", now.runs).format(n=now.runs)
    page.print(Text(f"  {runs}", consoles.QUIET), soft_wrap=True)


def _foot(page: Console, state: State) -> None:
    if state.note:
        consoles.paragraph(page, state.note, indent=1, style="yellow")
    page.print(_keys(page.width), soft_wrap=True)


def _keys(columns: int) -> Text:
    """Return the keys and their labels: closer, or without the labels, where room is short."""
    named = [Text.assemble((key, "bold cyan"), f" {_(label)}") for key, label in KEYS]
    for gap in ("  ", " "):
        line = Text.assemble(" ", Text(gap).join(named))
        if cell_len(line.plain) <= columns:
            return line
    return Text.assemble(*((f" {key}", "bold cyan") for key, _label in KEYS))
