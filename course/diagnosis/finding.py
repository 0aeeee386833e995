"""What a diagnosis has found: a fault, where it lies, and what gives it away."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from course.lesson import catalogue
from course.lesson.catalogue import Fault


@dataclass(frozen=True)
class ScriptFinding:
    """A fault of the catalogue in a script; `file` is None for the script itself.

    `line` counts from 1 in the text as the user has it; None where no line is to blame. `lines` are
    those that it may have to be mended in, `line` the first of them. `fix` is a unified diff where
    mending it is mechanical. `given` is what the command line gave in place of a default. It
    is told with the texts for another framework where the script is one `of_other`.
    """

    fault: str
    certain: bool
    evidence: str
    line: int | None = None
    file: str | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    fix: str | None = None
    lines: tuple[int, ...] = ()
    given: str = ""
    of_other: bool = False

    @property
    def entry(self) -> Fault:
        """The entry of the catalogue."""
        fault = catalogue.catalogue()[self.fault]
        return fault.for_others if self.of_other else fault

    @property
    def stage(self) -> str:
        """Where in the pipeline its cause sits."""
        return self.entry.stage


def in_order(findings: list[ScriptFinding]) -> tuple[ScriptFinding, ...]:
    """Sort findings by certainty, stage and line; each fault once, for certain if it is.

    What can be mended in the text stands at each of its places, as each is to be mended. What a run
    has shown to be so is mended as the text had it, where that was only possible.
    """
    stages = list(catalogue.STAGES)
    ordered = sorted(findings, key=lambda f: (not f.certain, stages.index(f.stage), f.line or 0))
    kept: dict[tuple[str, int | None], ScriptFinding] = {}
    mended = {each.fault for each in ordered if each.certain and each.fix is not None}
    for each in ordered:
        is_place = each.fix is not None and each.fault in mended
        if each.fault in mended and not is_place:
            continue
        key = each.fault, each.line if is_place else None
        known = kept.get(key)
        if known is None or (known.line is None and each.line is not None and each.certain):
            kept[key] = each
    fixes = {each.fault: each.fix for each in ordered if each.fix is not None}
    return tuple(replace(e, fix=e.fix or fixes.get(e.fault)) for e in kept.values())
