"""Whether a text keeps inputs and labels in one order, until they are paired.

How orders are followed stands in `course_probe/reading/row_order.py`; a run asks it for the same.
"""

from collections.abc import Iterator

from course.base.i18n import N_
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.text_fault import TextFault
from course_probe.reading.row_order import pairing

MOVED_ALONE = N_(
    "In line {line}, `{moved}` and `{other}` do not have the same examples in the same order. But "
    "the two are paired row by row."
)
CROSSED = N_(
    "`{moved}` and `{other}` are different parts of one split. In line {line}, the two are paired "
    "row by row."
)


def why_not(script: ScriptText) -> str | None:
    """Why this can't be judged, a sentence to translate; None where it can."""
    return (
        None
        if pairing(script.tree).pairs
        else N_("no line uses both inputs and labels (judged by their names)")
    )


def find(script: ScriptText) -> Iterator[TextFault]:
    """Yield faults of inputs moved without their labels, or labels without their inputs.

    It is possible only: whether the training suffers from it shows in a run.
    """
    for each in pairing(script.tree).apart:
        values = {
            "moved": each.moved,
            "other": each.other,
            "line": str(each.paired),
        }
        sentence = CROSSED if each.crossed else MOVED_ALONE
        yield TextFault("labels-misaligned", each.line, sentence, values, certain=False)
