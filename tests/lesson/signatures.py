"""The signatures of the catalogue that ships, by their kind."""

from typing import TypeVar

from course.lesson.catalogue import Fault, catalogue
from course.lesson.signature import Signature, SilentSignature

S = TypeVar("S", Signature, SilentSignature)


def of_kind(kind: type[S]) -> list[tuple[Fault, S]]:
    """List each signature of a kind, with its fault."""
    faults = catalogue().values()
    return [(f, each) for f in faults for each in f.signatures if isinstance(each, kind)]
