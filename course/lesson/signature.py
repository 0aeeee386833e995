"""Signatures: how a fault shows itself in a run record."""

import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from string import Formatter
from typing import Annotated, Any, Literal

from course.base.i18n import _, numbers
from course.base.schema import As, Unfit
from course.lesson import silent_signature
from course.lesson.loss_curve import LossCurve
from course.lesson.silent_signature import Cause, Condition, Conditions, SilentEffect
from course.lesson.state import StateCondition, read_conditions
from course.runs import embedded_names
from course.runs.embedded_names import HubThing
from course.runs.libraries import TRIED
from course.runs.record import HubKind, Raised, RunRecord

WordingAge = Literal["course", "later"]
Fit = Literal["certain", "possible"]
"""Certain: every condition of a signature holds. Possible: some of them were not measured."""
SCRIPT = "__main__"
BROKEN = "broken."
"""With the name of a rule behind it, the figure that says if the rule is broken; 0 if it is not."""
LIMIT = 20_100
"""Characters of a message that are searched: a pattern must not hang on a hostile one.

As many as the probe reports. A library may put the whole way to the operation that failed,
thousands of characters of it, before the words that matter.
"""


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern that is ready to be searched for.

    The catalogue has more of them than `re` keeps, which would make each anew for every error.
    """
    return re.compile(pattern)


_FLAGS = re.compile(r"\(\?[aimsux-]")
_GROUP = re.compile(r"[()]|\\.|\[\]?(?:\\.|[^\\\]])*\]", re.DOTALL)
"""What opens or closes a group, and what in a pattern only looks as if it did."""
_PART = re.compile(
    r"(?P<plain>[^\\.^$*+?{}\[\]()|]|\\[^\w])(?P<maybe>[*?]|\{[^}]*\}?)?|\\.|\[\]?(?:\\.|[^\\\]])*\]|.",
    re.DOTALL,
)


def needed(pattern: str) -> str:
    """Return the longest plain text that each match of a pattern holds; empty if there's none.

    To look for it takes a thousandth of the time in which a pattern is made ready. What stands in
    groups is left out, though a match may need that, too.
    """
    if _FLAGS.search(pattern):
        return ""
    depth, end, outside = 0, 0, ""
    for found in _GROUP.finditer(pattern):
        if depth == 0:
            outside += pattern[end : found.start()]
            outside += "^" if found[0] == "(" else found[0]
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        end = found.end()
    outside += pattern[end:]
    runs = [""]
    for part in _PART.finditer(outside):
        if part[0] == "|":
            return ""
        if part["plain"] is None or part["maybe"]:
            runs.append("")
        else:
            runs[-1] += part["plain"].removeprefix("\\") or "\\"
    return max(runs, key=len)


def _try_format(text: str) -> str:
    """Return the text on one line, once figures can be filled in."""
    text = " ".join(text.split())
    numbers.fill(text, defaultdict(float))
    return text


@dataclass(frozen=True)
class Signature:
    """One way in which a fault ends a script.

    Every condition that is given must hold: the exception's class is `exception` or inherits from
    it (by name, since newer libraries subclass what older ones raised); the pattern `message` is
    found in the message; the module that raised matches `module` as a whole; the pattern `frame` is
    found in a line of the traceback, or in the name of its function, with the module; the object
    that lacked an attribute is of the class `owner`; `versions` of libraries; the run's `device`
    and its `hub`; where it is about one of the `names` of the embedded hub, that the hub has no
    such name; that the script has a name `near` the one that it asked for, or that it has none.

    Where the words are those of `several` causes, it is never certain.

    `wording` is `course` where this is what the course prints. `example` is one such message and
    `seen` where it comes from (library and version, or the course). `shown` tells a learner more
    than the message does, with its named groups as `{group}`; with `names`, {name} is the one that
    was asked for, {known} all that there are; {near} is the nearest name.
    """

    exception: str
    message: str
    example: str
    seen: str
    wording: WordingAge = "later"
    module: str = ".+"
    frame: str | None = None
    owner: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    device: str | None = None
    hub: HubKind | None = None
    names: HubThing | None = None
    near: bool | None = None
    state: Annotated[
        tuple[StateCondition, ...], As(tuple[dict[str, Any], ...], read_conditions)
    ] = ()
    several: bool = False
    often: int = 0
    check: str = ""
    shown: Annotated[str, As(str, _try_format)] = ""
    needs: str = field(init=False, default="")
    """What stands in each message that the pattern fits."""

    def __post_init__(self) -> None:
        for name in ("message", "module", "frame"):
            try:
                compiled(getattr(self, name) or "")
            except re.error as error:
                sentence = _("a value does not have the required format ({error}).")
                raise Unfit(sentence.format(error=f"`{name}`: {error}")) from error
        if compiled(self.message).search(self.example) is None:
            sentence = _("the pattern `message` is not found in its own example, {example}.")
            raise Unfit(sentence.format(example=repr(self.example)))
        object.__setattr__(self, "needs", needed(self.message))

    @property
    def words(self) -> str:
        """Return an example as the last line of a traceback, without `builtins.`."""
        return f"{self.exception.removeprefix('builtins.')}: {self.example}"

    def fit(self, record: RunRecord, _curve: LossCurve | None = None) -> Fit | None:
        """How a record's exception fits: all conditions hold, or none is broken as far as is known.

        None where one is broken.
        """
        if record.raised is None:
            return None
        fit: Fit = "certain"
        for _name, holds in self._conditions(record):
            # The first that is broken decides: most patterns are never looked at.
            if holds is False:
                return None
            if holds is None:
                fit = "possible"
        return fit

    def misfits(self, record: RunRecord) -> Iterator[str]:
        """Return the conditions that a record does not fulfil, or does not tell of, by name."""
        return (name for name, holds in self._conditions(record) if not holds)

    def _conditions(self, record: RunRecord) -> Iterator[tuple[str, bool | None]]:
        """Each condition that is given, and whether it holds; None where that is not known."""
        raised = record.raised
        if raised is None:
            yield "exception", False
            return
        yield "exception", self._is_of_class(raised)
        yield "message", self._finds(raised.message[:LIMIT])
        yield "module", self._module_fits(raised)
        if self.frame is not None:
            yield "frame", self.passes(raised)
        if self.several:
            yield "several", None
        # What a text does not say was not measured; of a run it is known that it was not so.
        silent = None if raised.by_words else False
        if self.owner is not None:
            yield "owner", self.owner in raised.owner if raised.owner else silent
        if self.device is not None:
            yield "device", self.device == record.device if record.device else silent
        if self.hub is not None:
            yield "hub", self.hub == record.hub
        if self.names is not None:
            yield "names", self.asked(raised) not in self.known(raised)
        if self.near is not None:
            told = bool(raised.near)
            yield "near", None if raised.by_words and self.near and not told else self.near == told
        for name, wanted in self.versions.items():
            found = record.versions.get(name)
            yield "versions", silent if found is None else _fits(found, wanted)
        for condition in self.state:
            yield "state", condition.holds(raised.state)

    def _finds(self, message: str) -> bool:
        return self.needs in message and compiled(self.message).search(message) is not None

    def _is_of_class(self, raised: Raised) -> bool:
        """Whether an exception is of the class or inherits from it; a text may name no class."""
        if raised.by_words:
            last = self.exception.rpartition(".")[2]
            if not raised.classes:
                # Words alone are not those of a signature that fits any words.
                return not self._finds("")
            return any(c.rpartition(".")[2] == last for c in raised.classes)
        return self.exception in raised.classes

    def passes(self, raised: Raised) -> bool:
        """Whether an exception came through a line or a function that is asked for, if one is."""
        if self.frame is None:
            return True
        pattern = compiled(self.frame)
        return any(pattern.search(f"{f.module}.{f.function}\n{f.text}") for f in raised.frames)

    def groups(self, raised: Raised) -> dict[str, str]:
        """Return the named groups of the pattern in a message, as far as they are in it."""
        found = compiled(self.message).search(raised.message[:LIMIT])
        return {k: v for k, v in found.groupdict().items() if v} if found is not None else {}

    def asked(self, raised: Raised) -> str:
        """Return the name that the hub was asked for, by the message or else by heard events."""
        return self.groups(raised).get("name", raised.asked)

    def known(self, raised: Raised) -> list[str]:
        """Return the names that exist in place of the one asked for: by the message, or the hub."""
        groups = self.groups(raised)
        if self.names is None or "known" in groups:
            return re.findall(r"[\w-]+", groups.get("known", ""))
        return embedded_names.names(self.names, groups.get("of", ""))

    def _module_fits(self, raised: Raised) -> bool:
        origin = raised.origin
        if origin is None:
            # Quoted words come without a traceback; there is no module to look at.
            return not raised.frames
        if origin.module == SCRIPT and origin.raises:
            # The script's own `raise` can say anything; it is not a library speaking.
            return False
        return compiled(self.module).fullmatch(origin.module) is not None


def _in_tuple(side: str | Condition | Conditions) -> str | Conditions:
    """One condition as a tuple of it."""
    return (side,) if isinstance(side, Condition) else side


@dataclass(frozen=True)
class SilentSignature:
    """One way in which a fault shows itself without an exception: an effect, and its cause.

    Each of the two is known by name, or is conditions on measured figures; `shown` then tells a
    learner of these, with each figure as `{name}`, a vital sign as `{part.sign}`. `example` is what
    is printed meanwhile, and `seen` where it comes from.

    One that is known by invariants names their rules, all of which must be broken, as `when`, and
    conditions on the facts there as `where`: what was measured is told by the last of these rules.

    A script of no lesson may do on purpose what a lesson's never does, and has no healthy run
    beside it. One that is `lesson_only` tells nothing certain of such a script; `elsewhere` are
    conditions that must hold there, besides.
    """

    wording: WordingAge = "later"
    seen: str = TRIED
    example: str = ""
    effect: Annotated[
        SilentEffect | Conditions, As(SilentEffect | Condition | Conditions, _in_tuple)
    ] = ()
    cause: Annotated[Cause | Conditions, As(Cause | Condition | Conditions, _in_tuple)] = ()
    when: tuple[str, ...] = ()
    where: Conditions = ()
    shown: Annotated[str, As(str, _try_format)] = ""
    lesson_only: bool = False
    elsewhere: Conditions = ()

    def __post_init__(self) -> None:
        is_by_figures = isinstance(self.effect, tuple)
        fits = (
            is_by_figures == isinstance(self.cause, tuple),
            self.when or self.example,
            bool(self.when) != bool(self.effect and self.cause),
            self.when or self.shown or not is_by_figures,
        )
        if not all(fits):
            raise Unfit(
                _(
                    "A silent fault needs `when`, or `effect` and `cause`. These two are both "
                    "names or both conditions. Without `when`, it also needs `example`, and with "
                    "conditions also `shown`."
                )
            )

    @property
    def conditions(self) -> Conditions:
        """Its effect and its cause as conditions on figures; none where both are known by name."""
        sides = (self.effect, self.cause)
        return tuple(c for side in sides if isinstance(side, tuple) for c in side)

    @property
    def figures(self) -> frozenset[str]:
        """The names of the measured figures that it is known and shown by; facts are none."""
        judged = {c.figure for c in self.conditions}
        named = {name for _text, name, _spec, _how in Formatter().parse(self.shown) if name}
        return frozenset(judged | named)

    def holds_anywhere(self, record: RunRecord) -> bool:
        """Whether it is certain of a run of any script, where its effect and cause are there."""
        return not self.lesson_only and all(c.holds(record.figures) for c in self.elsewhere)

    @property
    def words(self) -> str:
        """Return an example of what such a run prints."""
        return self.example

    def fit(self, record: RunRecord, curve: LossCurve | None = None) -> Fit | None:
        """Whether the run came to its end, or was stopped, with this effect from this cause."""
        shows = record.raised is None and self._shows(record, curve)
        return "certain" if shows else None

    def _shows(self, record: RunRecord, curve: LossCurve | None) -> bool:
        if not all(record.figures.get(BROKEN + rule) for rule in self.when):
            return False
        if isinstance(self.effect, tuple):
            return all(c.holds(record.figures) for c in (*self.conditions, *self.where))
        return silent_signature.cause(record, self.effect) == self.cause and silent_signature.shows(
            self.effect, record, curve
        )


def _fits(version: str, wanted: str) -> bool:
    """Whether a version is one of those that a specifier (`>=2.4`) names."""
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(wanted).contains(version, prereleases=True)
