"""The part of pysrt that this project uses; the library itself ships no types."""

from collections import UserList
from collections.abc import Iterable
from typing import Generic, Self, TextIO

from typing_extensions import TypeVar

_Item = TypeVar("_Item", bound=SubRipItem, default=SubRipItem)

class SubRipTime:
    ordinal: int
    hours: int
    minutes: int
    seconds: int
    milliseconds: int
    def __init__(
        self, hours: int = ..., minutes: int = ..., seconds: int = ..., milliseconds: int = ...
    ) -> None: ...
    def __lt__(self, other: SubRipTime | int) -> bool: ...
    def __add__(self, other: SubRipTime | int) -> SubRipTime: ...
    def __sub__(self, other: SubRipTime | int) -> SubRipTime: ...
    def __mul__(self, ratio: float) -> SubRipTime: ...
    @classmethod
    def from_ordinal(cls, ordinal: int) -> Self: ...

class SubRipItem:
    index: int | None
    start: SubRipTime
    end: SubRipTime
    text: str
    position: str
    def __init__(
        self,
        index: int | None = ...,
        start: SubRipTime | int | None = ...,
        end: SubRipTime | int | None = ...,
        text: str = ...,
        position: str = ...,
    ) -> None: ...
    def __lt__(self, other: SubRipItem) -> bool: ...
    @property
    def duration(self) -> SubRipTime: ...

class SubRipFile(UserList[_Item], Generic[_Item]):
    eol: str
    def __init__(
        self,
        items: Iterable[_Item] | None = ...,
        eol: str | None = ...,
        path: str | None = ...,
        encoding: str = ...,
    ) -> None: ...
    def write_into(self, output_file: TextIO, eol: str | None = ...) -> None: ...

def open(path: str = ..., encoding: str | None = ...) -> SubRipFile: ...  # noqa: A001
def from_string(source: str) -> SubRipFile: ...
