"""Signatures: how a fault shows itself in a run record."""

import re
from dataclasses import dataclass, field
from typing import Literal

from course.run.record import Raised, RunRecord

Wording = Literal["course", "later"]
SCRIPT = "__main__"
LIMIT = 4000
"""Characters of a message that are searched: a pattern must not hang on a hostile one."""


@dataclass(frozen=True)
class Signature:
    """One way in which a fault ends a script.

    Every condition that is given must hold: the exception's class is `exception` or inherits from
    it (by name, since newer libraries subclass what older ones raised); the pattern `message` is
    found in the message; the module that raised matches `module` as a whole; the object that
    lacked an attribute is of the class `owner`; `versions` of libraries; the run's `device`.

    `wording` is `course` where this is what the course prints. `example` is one such message and
    `seen` where it comes from (library and version, or the course).
    """

    wording: Wording
    exception: str
    message: str
    example: str
    seen: str
    module: str = r"(?!__main__).+"
    owner: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    device: str | None = None

    def matches(self, record: RunRecord) -> bool:
        """Whether the record's exception is one of this kind."""
        raised = record.raised
        return (
            raised is not None
            and self.exception in raised.classes
            and re.search(self.message, raised.message[:LIMIT]) is not None
            and self._module_fits(raised)
            and (self.owner is None or self.owner in raised.owner)
            and (self.device is None or self.device == record.device)
            and all(
                name in record.versions and _fits(record.versions[name], wanted)
                for name, wanted in self.versions.items()
            )
        )

    def _module_fits(self, raised: Raised) -> bool:
        origin = raised.origin
        if origin is None:
            # Quoted words come without a traceback; there is no module to look at.
            return not raised.frames
        if origin.module == SCRIPT and origin.raises:
            # The script's own `raise` can say anything; it is not a library speaking.
            return False
        return re.fullmatch(self.module, origin.module) is not None


def _fits(version: str, wanted: str) -> bool:
    """Whether a version is one of those that a specifier (`>=2.4`) names."""
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(wanted).contains(version, prereleases=True)
