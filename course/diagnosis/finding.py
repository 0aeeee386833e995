"""What a diagnosis has found: a fault, where it lies, and what gives it away."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from course.lesson import catalogue
from course.lesson.catalogue import Fault


@dataclass(frozen=True)
class ScriptFinding:
    """A fault of the catalogue in a script; `file` is None for the script itself.

    `line` counts from 1 in the text as the user has it; None where no line is to blame. `fix` is a
    unified diff where mending it is mechanical.
    """

    fault: str
    certain: bool
    evidence: str
    line: int | None = None
    file: str | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    fix: str | None = None

    @property
    def entry(self) -> Fault:
        """The entry of the catalogue."""
        return catalogue.catalogue()[self.fault]

    @property
    def stage(self) -> str:
        """Where in the pipeline its cause sits."""
        return self.entry.stage


def in_order(findings: list[ScriptFinding]) -> tuple[ScriptFinding, ...]:
    """Findings by certainty, stage and line; each fault once, for certain if it is."""
    stages = list(catalogue.STAGES)
    ordered = sorted(findings, key=lambda f: (not f.certain, stages.index(f.stage), f.line or 0))
    kept: dict[str, ScriptFinding] = {}
    for each in ordered:
        known = kept.get(each.fault)
        if known is None or (known.line is None and each.line is not None and each.certain):
            kept[each.fault] = each
    return tuple(kept.values())
