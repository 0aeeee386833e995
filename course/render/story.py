"""In which order a run is told: every surface draws what it is given here.

How the run ended comes first and names no fault; a question and the looks follow. Then comes what
was measured of a silent fault, so that a guess has something to go by, and only then which fault it
is, and the fix. A step without a run is told in `lesson_blocks.page`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from course.base.i18n import _
from course.judge import messages
from course.judge.attempt import Attempt
from course.judge.script_verdict import ScriptVerdict
from course.judge.verdict import Verdict
from course.lesson import aside
from course.lesson.bug import Bug
from course.lesson.catalogue import Fault, Match
from course.lesson.lesson import Outcome, Part, Step
from course.lesson.look_names import in_own_names
from course.render import lesson_blocks, run_blocks, script_blocks
from course.render.blocks import Details, Gap, Paragraph, StoryBlock
from course.runs.record import RunRecord

Blocks = tuple[StoryBlock, ...]


@dataclass(frozen=True)
class Story:
    """A run in chapters, in the order in which they are told; a reader may be asked between two.

    The looks are taken after the `question`, and a fault is guessed after the `evidence`.
    """

    ending: Blocks
    question: Blocks
    evidence: Blocks
    fault: Blocks
    fix: Blocks


@dataclass(frozen=True)
class NotebookWays:
    """What a notebook has for its reader to do: to look, to guess, to read more, to go on."""

    look: str
    guess: str
    more: str
    advice: str


def of_step(
    part: Part,
    step: Step,
    verdict: Verdict,
    record: RunRecord,
    outcome: Outcome,
    *,
    output: str,
    change: str,
) -> Story:
    """Tell a step of a walk; `change` is the diff that takes its bug out, empty for none."""
    ending = [*_ending(verdict, record, outcome), *run_blocks.problem(verdict, outcome)]
    if verdict.problem is not None and verdict.raised is None:
        ending += run_blocks.printed(output, record)
    if step.fault is None and verdict.metrics:
        ending += run_blocks.figures(verdict.metrics, part)
    asked = lesson_blocks.question(step, raises=verdict.raised is not None)
    match = verdict.match
    # What is said of a fault fits only where it is the step's.
    known = match.fault if match is not None and match.fault.id == step.fault else None
    script = part.text(step.bugs)
    return Story(
        tuple(ending),
        (Gap(), Paragraph(asked, "heading")),
        tuple(_evidence(verdict, record)),
        tuple(_in_own_names(_fault(verdict), script)),
        tuple(_in_own_names(_fix(known, step.bug, change), script)),
    )


def of_drill(verdict: Verdict, match: Match, record: RunRecord, bug: Bug, change: str) -> Story:
    """Tell a drill, in which a fault was to be named; `change` is the diff that takes it out."""
    return Story(
        tuple(_ending(verdict, record, None)),
        (),
        tuple(_evidence(verdict, record)),
        tuple(_fault(verdict)),
        tuple(_fix(match.fault, bug, change)),
    )


def of_attempt(found: Attempt, record: RunRecord, output: str, part: Part) -> Iterator[StoryBlock]:
    """Tell a run of a working copy in short: the fault by its name, or how well the model does."""
    verdict = found.verdict
    yield from run_blocks.error(verdict)
    yield from run_blocks.earlier(verdict)
    yield from run_blocks.stopped(record)
    if verdict.match is not None:
        yield Gap()
        yield from run_blocks.name(verdict.match)
        yield from run_blocks.detail(verdict.match, verdict.raised)
        yield from run_blocks.quoted(verdict.match)
    # Of a failure that the catalogue doesn't know, the lines below say whose it is.
    if verdict.problem not in (None, "unknown"):
        yield from run_blocks.problem(verdict, found.outcome)
        if verdict.raised is None:
            yield from run_blocks.printed(output, record)
    if verdict.raised is None:
        yield from run_blocks.loss(record, found.outcome)
    if found.healthy:
        yield from run_blocks.figures(verdict.metrics, part)


def to_guess(
    found: Attempt, record: RunRecord, question: str, offered: Iterable[Fault]
) -> Iterator[StoryBlock]:
    """Tell a run of a working copy without its fault's name, and the faults to choose from."""
    evidence = tuple(_evidence(found.verdict, record))
    if evidence:
        yield from run_blocks.loss(record, found.outcome)
    else:
        yield from _ending(found.verdict, record, found.outcome)
    yield from evidence
    yield Gap()
    yield Paragraph(question, "heading")
    yield from lesson_blocks.choices(offered)


def of_cells(
    found: Attempt,
    losses: Sequence[tuple[int, float]],
    part: Part,
    offered: Sequence[Fault],
    ways: NotebookWays,
) -> Iterator[StoryBlock]:
    """Tell an attempt in a notebook, where a traceback stands above and a fold takes the answer.

    `offered` are the faults to choose from, if there are enough.
    """
    verdict = found.verdict
    if verdict.match is None:
        yield from _without_fault(found, losses, part, ways)
        return
    yield lesson_blocks.happened(verdict.raised)
    if verdict.raised is None:
        yield from _curve(found, losses)
    step = next((s for s in part.steps if s.id == verdict.step), None)
    yield from run_blocks.silent(verdict.match, verdict.metrics) if verdict.raised is None else ()
    asked = lesson_blocks.question(step, raises=verdict.raised is not None)
    yield Paragraph(asked, "heading")
    if looks := part.looks_at(verdict.step):
        yield from lesson_blocks.suggestions(looks)
        yield Paragraph(ways.look, "quiet")
    if offered:
        yield Paragraph(ways.guess, "heading")
        yield from lesson_blocks.choices(offered)
    title = _("Which fault it is, and how to fix it")
    answer = _cells_answer(found, verdict.match, ways)
    yield Details(title, (*answer, *_beside(part, verdict.step, ways)))


def of_script(
    verdict: ScriptVerdict,
    record: RunRecord,
    output: str,
    lines: Mapping[str, Sequence[tuple[int | None, str]]] = MappingProxyType({}),
    losses: tuple[tuple[int, float], ...] = (),
) -> Iterator[StoryBlock]:
    """Tell all there is to say once a script without a lesson has ended.

    `lines` are by the fault those that it may have to be mended in, each with its text; without a
    number it is the command line. `losses` are drawn where there is more than one.
    """
    if verdict.raised is not None and verdict.problem not in ("input", "breakpoint"):
        yield Gap()
        yield from run_blocks.raised(verdict.raised, is_unknown=verdict.problem == "unknown")
        yield from script_blocks.values(verdict.raised, is_unknown=verdict.problem == "unknown")
    for naming in verdict.namings:
        if naming.certain:
            at = lines.get(naming.fault.id, ())
            yield from script_blocks.certain(naming, verdict.raised, at)
    yield from script_blocks.trouble(verdict, record, output)
    yield from script_blocks.possible(verdict)
    yield from script_blocks.caught(verdict)
    yield from script_blocks.well(verdict)
    if verdict.raised is None and len(losses) > 1:
        yield run_blocks.curve(losses, None)


def _ending(verdict: Verdict, record: RunRecord, outcome: Outcome | None) -> Iterator[StoryBlock]:
    """Yield how a run ended: the error, or that there was none, and the picture of the loss."""
    if verdict.raised is not None:
        yield Gap()
        yield from run_blocks.raised(verdict.raised)
    elif verdict.match is not None:
        yield Gap()
        yield lesson_blocks.happened(None)
    if verdict.match is None:
        yield from run_blocks.stopped(record)
    if verdict.raised is None:
        yield from run_blocks.loss(record, outcome)


def _in_own_names(blocks: Iterable[StoryBlock], script: str) -> Iterator[StoryBlock]:
    """Yield blocks, the code in their sentences with the names of a script."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield replace(block, text=in_own_names(block.text, script))
        else:
            yield block


def _evidence(verdict: Verdict, record: RunRecord) -> Iterator[StoryBlock]:
    """Yield what was measured of a silent fault, without its name; nothing of one that raises."""
    if verdict.match is not None and verdict.raised is None:
        yield Gap()
        yield from run_blocks.silent(verdict.match, verdict.metrics)
        yield from run_blocks.stopped(record)


def _fault(verdict: Verdict) -> Iterator[StoryBlock]:
    """Yield which fault it is and why; nothing where none is known."""
    if verdict.match is not None:
        yield Gap()
        yield from run_blocks.diagnosis(verdict.match, verdict.raised)


def _fix(fault: Fault | None, bug: Bug | None, change: str) -> Iterator[StoryBlock]:
    """Yield the diff that takes a bug out, with its reasons; nothing where none is taken out."""
    if change and bug is not None:
        yield Gap()
        yield Paragraph(_("The fix"), "heading")
        yield from lesson_blocks.reasons(fault, bug)
        yield from lesson_blocks.patch(change)


def _without_fault(
    found: Attempt, losses: Sequence[tuple[int, float]], part: Part, ways: NotebookWays
) -> Iterator[StoryBlock]:
    """Yield an attempt in a notebook that shows no fault: its problem, or how well it does."""
    verdict = found.verdict
    yield from _places(found)
    yield from run_blocks.problem(verdict, found.outcome)
    if found.healthy:
        yield Paragraph(_("The script trains, and the model has learned."), "good")
        if {"accuracy", "baseline"} <= verdict.metrics.keys():
            yield Paragraph(messages.learned(verdict.metrics))
    if verdict.raised is None:
        yield from _curve(found, losses)
    if found.healthy:
        yield from _beside(part, verdict.step, ways)


def _cells_answer(found: Attempt, match: Match, ways: NotebookWays) -> Iterator[StoryBlock]:
    """Yield which fault it is, and what to do next."""
    verdict = found.verdict
    yield from run_blocks.diagnosis(match, verdict.raised)
    yield from _places(found)
    yield from run_blocks.problem(verdict, found.outcome)
    yield from run_blocks.earlier(verdict)
    if found.mended is not None:
        # What the other cells have made of the old one is still there until they are run again.
        again = _(
            "The lesson's fix is already in the cells that you ran. Run the cells after this fix "
            "again. If the fault is still there, something else is the cause."
        )
        yield Paragraph(again)
    elif found.new:
        yield Paragraph(_("This is not one of the exercise's own bugs."))
    yield Paragraph(ways.advice, "quiet")


def _curve(found: Attempt, losses: Sequence[tuple[int, float]]) -> Iterator[StoryBlock]:
    if len(losses) > 1:
        yield run_blocks.curve(tuple(losses), found.outcome)


def _places(found: Attempt) -> Iterator[StoryBlock]:
    """Yield at how many of its places a bug is mended, where that is at some of them."""
    if found.bug is not None and found.right:
        yield Paragraph(messages.mended_in_part(found.right, len(found.bug.edits)))


def _beside(part: Part, step: str, ways: NotebookWays) -> Iterator[StoryBlock]:
    """Yield the asides of a step, and how they are opened in a notebook."""
    if any(s.id == step for s in part.steps):
        yield from lesson_blocks.asides(aside.of_step(part, step), ways.more)
