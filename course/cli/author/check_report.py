"""How the proof of a lesson is told: run by run, then what its author can do about the rest."""

from collections.abc import Iterable, Sequence

from course.authoring import diagnostics
from course.authoring.lesson_check import CheckResult
from course.authoring.translations import Finding
from course.base import schema
from course.base.i18n import _, about, enumerate_words, in_a_row, ngettext, numbers
from course.cli.terminal import consoles
from course.lesson import catalogue
from course.lesson.lesson import HEALTHY, Part

ROOTS = ("builtins.BaseException", "builtins.object")
"""Classes that say nothing of an exception."""


def show_uncatalogued(part: Part, new: dict[str, str]) -> None:
    """Say which faults the catalogue does not know, and what is tried for all that."""
    for name, near in new.items():
        file = schema.shown(catalogue.entry(name, part.path.parents[2]))
        fault = _("There is no fault {name}.").format(name=f"`{name}`")
        message = in_a_row(fault, _("There is no file {file}.").format(file=f"`{file}`"))
        if near:
            message = in_a_row(message, _("Did you mean {near}?").format(near=f"`{near}`"))
        consoles.note(message)
    consoles.note(
        _(
            "Some bugs have no entry in the catalogue yet. Now the script runs with each of these "
            "bugs alone, and then without bugs. Write the entries from the results."
        )
    )


def show_result(result: CheckResult) -> None:
    """Print the bugs of a run and what it showed, in one line; green where that was expected."""
    good, bad, _open = consoles.marks(consoles.out())
    observed = result.observed or result.problem or HEALTHY
    bugs = " + ".join(result.bugs) or HEALTHY
    if not result.subset:
        bugs = f"{result.step}: {bugs}"
    line = f"{good if result.holds else bad} {bugs}  →  {observed}"
    consoles.code(consoles.out(), line, style="green" if result.holds else "red")


def show_details(results: Sequence[CheckResult], *, figures: bool) -> None:
    """Say of each run that did not hold what it showed, and of all the figures, if wanted."""
    healthy = {(r.part.lesson, r.part.framework): r for r in results if not r.bugs}
    shown_before = set()
    # What one bug shows by itself need not be told again of the sets that it is in.
    for result in sorted(results, key=lambda r: len(r.bugs)):
        beside = healthy.get((result.part.lesson, result.part.framework))
        raised = result.record.raised
        shown = (result.part.path, result.expected, result.why, raised and raised.type)
        if not result.holds:
            if shown not in shown_before:
                _show_mismatch(result, None if beside is result else beside)
            shown_before.add(shown)
        elif figures and len(result.bugs) <= 1:
            _heading(result, "")
            _show_figures(result, None if beside is result else beside)
    _show_glances(results)


def _heading(result: CheckResult, sentence: str) -> None:
    bugs = enumerate_words(f"`{bug}`" for bug in result.bugs) or f"`{HEALTHY}`"
    consoles.out().print()
    title = about(bugs, sentence) if sentence else bugs
    consoles.paragraph(consoles.out(), title, style="bold")


def _show_mismatch(result: CheckResult, healthy: CheckResult | None) -> None:
    console = consoles.out()
    _heading(result, result.why)
    raised = result.record.raised
    if raised is not None:
        consoles.code(console, f"{raised.name}: {raised.message}", indent=2, fold=True)
        if raised.origin is not None:
            where = _(
                "Raised in the module {module}. The class of the exception and its parent classes: "
                "{classes}."
            )
            known = (name for name in raised.classes if name not in ROOTS)
            classes = enumerate_words(f"`{name}`" for name in known)
            message = where.format(module=f"`{raised.origin.module}`", classes=classes)
            consoles.paragraph(console, message, indent=2)
    for sentence in diagnostics.reasons(result):
        consoles.paragraph(console, sentence, indent=2)
    if raised is not None and result.observed is None and result.problem == "unknown":
        message = _("A first signature for the catalogue entry:")
        consoles.paragraph(console, message, indent=2)
        consoles.code(console, diagnostics.proposal(result.record), indent=4)
    if raised is None and result.problem is not None:
        _show_figures(result, healthy)


def _show_figures(result: CheckResult, healthy: CheckResult | None) -> None:
    if result.verdict.metrics:
        known = (
            f"{name} {numbers.significant(value, 4)}"
            for name, value in result.verdict.metrics.items()
        )
        consoles.code(consoles.out(), enumerate_words(known), indent=2, fold=True)
    lines = list(diagnostics.figures(result, healthy))
    if not lines:
        consoles.paragraph(consoles.out(), _("not measured"), indent=2)
        return
    sentence = _("The measured values, and in brackets the values of the run without bugs:")
    consoles.paragraph(consoles.out(), sentence, indent=2)
    for line in lines:
        consoles.code(consoles.out(), line, indent=4)


def _show_glances(results: Iterable[CheckResult]) -> None:
    """Print the looks that end with an exception: often this is what they are to show."""
    for result in results:
        for glance in result.glances if result.problem is None else ():
            if glance.error is not None:
                caption = " ".join(glance.caption.split())
                sentence = _("Step {step}, look {number} ({caption}) ends with {error}.")
                message = sentence.format(
                    step=f"`{result.step}`",
                    number=glance.number,
                    caption=_(caption),
                    error=f"`{next(iter(glance.error.splitlines()), '')}`",
                )
                consoles.note(message)


def show_texts(texts: Sequence[Finding]) -> None:
    """Say what is wrong with the texts, and what to do about those that are not translated."""
    for finding in texts:
        if not finding.waits:
            consoles.note(str(finding))
    count_waiting(texts)


def count_waiting(texts: Sequence[Finding]) -> None:
    """Say how many texts are not translated, and what to do about them."""
    waiting = len({finding.text for finding in texts if finding.waits})
    if waiting:
        sentence = ngettext(
            "{n} text is not translated into every language. `course dev texts` adds it to "
            "`locales/*/course.po`. Write its translation there, below its `msgid`.",
            "{n} texts are not translated into every language. `course dev texts` adds them to "
            "`locales/*/course.po`. Write each translation there, below its `msgid`.",
            waiting,
        )
        consoles.note(sentence.format(n=waiting))
