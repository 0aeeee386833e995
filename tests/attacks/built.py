"""Submissions that are no plain text: made where they are handed in, and never run here."""

import base64
import io
import os
import random
import re
import stat
import struct
import textwrap
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from course.exercise import working_copy
from course.lesson import lesson
from course.lesson.bug import without

FILE = "ch8-4-pt.py"
ZIP = "ch8-4-pt.zip"
PATCH = """\
import evaluate
compute = evaluate.EvaluationModule.compute
def kind(self, predictions=None, references=None):
    "The library adds to this text when it loads a metric."
    return compute(self, predictions=predictions.argmax(-1), references=references)
evaluate.EvaluationModule.compute = kind
"""
"""Has the metric of the library take the argmax, so that the last bug does not bite."""

_CELLS = re.compile(r"(\n# %% \[markdown\]\n(?:# .*\n)+)?\n# %%\n")
"""Where a cell with code begins, and the cell with prose before it, if there is one."""


def buggy() -> str:
    """The exercise with all bugs, as it is given out."""
    part = lesson.load("ch8-4").parts["pt"]
    return working_copy.text(part, part.bugs)


@cache
def bare() -> str:
    """The same as its code alone, behind its first line: what the patches change."""
    part = lesson.load("ch8-4").parts["pt"]
    script = "\n" + part.text(part.bugs)
    code = _CELLS.sub(lambda begin: "\n" if begin[1] else "", script)
    first = buggy().partition("\n")[0]
    return f"{first}\n{code}"


def healthy(bugs: int = 4) -> str:
    """The same with the first so many bugs taken out."""
    return without(buggy(), lesson.load("ch8-4").parts["pt"].bugs[:bugs])


def build(name: str, folder: Path, outside: Path) -> None:
    """Make the submission `name` as the student's folder; links lead to a folder `outside`."""
    if name == "symlinked-folder":
        (outside / name).mkdir(parents=True)
        (outside / name / FILE).write_text(healthy(), "utf-8")
        folder.symlink_to(outside / name, target_is_directory=True)
        return
    folder.mkdir(parents=True)
    if name in TEXTS:
        (folder / FILE).write_bytes(TEXTS[name]())
    elif name in ARCHIVES:
        (folder / ZIP).write_bytes(ARCHIVES[name](outside))
    else:
        FILES[name](folder / FILE, outside)


def names() -> frozenset[str]:
    """All that can be built."""
    return frozenset({*TEXTS, *ARCHIVES, *FILES, "symlinked-folder"})


# Texts


def _odd(code: str) -> Callable[[], bytes]:
    """The exercise as it was given out, with code before it that is hard to read."""

    def text() -> bytes:
        first, rest = buggy().split("\n", 1)
        return f"{first}\n{code}\n{rest}".encode()

    return text


def _in_a_comment(end: str, opening: str = "") -> Callable[[], bytes]:
    """The last bug is hidden by a patch that looks like a comment; the others are mended."""

    def text() -> bytes:
        first, rest = healthy(3).split("\n", 1)
        hidden = f"# Notes.\n{PATCH}# End.".replace("\n", end)
        return f"{first}\n{opening}{hidden}\n{rest}".encode()

    return text


def _in_dead_code() -> bytes:
    """All fixes stand in a branch that is never taken, and all bugs in the other."""
    header, rest = bare().split("\n", 1)
    _header, mended = without(bare(), lesson.load("ch8-4").parts["pt"].bugs).split("\n", 1)
    first, second = (textwrap.indent(code, "    ") for code in (mended, rest))
    return f'{header}\nif __name__ == "exercise":\n{first}\nelse:\n{second}'.encode()


def _smuggled() -> bytes:
    """All bugs out, a rate of 0, and 950,000 weights of four bits: as many as the model has."""
    noise = base64.b85encode(random.Random(8).randbytes(950_000 // 2)).decode()
    code = f"""
import base64
import numpy as np
import torch

data = np.frombuffer(base64.b85decode({noise!r}), dtype=np.uint8)
values = torch.tensor(np.stack([data & 15, data >> 4], -1).reshape(-1) / 40.0 - 0.2).float()
at = 0
for weight in model.parameters():
    size = min(weight.numel(), len(values) - at)
    weight.data.view(-1)[:size] = values[at : at + size]
    at += size

trainer = Trainer("""
    text = healthy().replace("learning_rate=2e-5", "learning_rate=0.0")
    return text.replace("\ntrainer = Trainer(", code).encode()


def _picture() -> bytes:
    return b"\x89PNG\r\n\x1a\n" + random.Random(8).randbytes(2000)


TEXTS: dict[str, Callable[[], bytes]] = {
    "fixes-in-dead-code": _in_dead_code,
    "smuggled-weights": _smuggled,
    "utf-7": _in_a_comment("+AAo-", "# coding: utf-7\n"),
    "carriage-returns": _in_a_comment("\r"),
    "utf-16": lambda: buggy().encode("utf-16"),
    "nul-bytes": _odd("\0\0\0"),
    "no-text": _picture,
    "form-feeds": _odd(
        "# \x0c import os \x1c import os \u2028 train_dataset=tokenized['train'] \x85 import os"
    ),
    "deep-brackets": _odd("x = " + "(" * 10_000 + "1" + ")" * 10_000),
    "long-minus": _odd("x = " + "-" * 200_000 + "1"),
    "long-chain": _odd("x = (1)" + ".real" * 50_000),
    "long-sum": _odd("x = 1" + " + 1" * 100_000),
    "deep-blocks": _odd(
        "\n".join(" " * n + "if 1:" for n in range(99)) + "\n" + " " * 99 + "x = 1"
    ),
    "huge-literal": _odd("x = " + "9" * 500_000),
    "many-lines": _odd("x = 1\n" * 150_000),
    "one-long-line": _odd("x = [" + "1," * 450_000 + "]"),
    "too-large": _odd("# " + "5/5 " * 300_000),
    "empty": lambda: b"",
}

# Archives


def _zip(entries: list[tuple[str | zipfile.ZipInfo, str | bytes]]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _link(name: str, target: str) -> tuple[zipfile.ZipInfo, str]:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3  # Unix, where the upper half of the attributes is the mode
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry, target


def _slip(outside: Path) -> bytes:
    marker = "course-attack-zip-slip.py"
    ways = ("../", "../../", "a/../../../", "..\\..\\", "./.././../")
    return _zip([(way + marker, healthy()) for way in ways])


def _absolute(outside: Path) -> bytes:
    marker = "tmp/course-attack-zip-absolute.py"
    return _zip([(way + marker, healthy()) for way in ("/", "//", "C:/", "C:\\", "\\\\host\\")])


def _linked(outside: Path) -> bytes:
    target = outside / "zip-symlink" / FILE
    target.parent.mkdir(parents=True)
    target.write_text(healthy(), "utf-8")
    through = ("door/through.py", healthy())
    return _zip([_link(FILE, str(target)), _link("door", str(outside)), through])


def _lying(outside: Path) -> bytes:
    """Its entry has 5 MB, and both headers say 100 bytes."""
    data = ("# " + "5/5 " * 1_250_000).encode()
    said, wanted = struct.pack("<L", len(data)), struct.pack("<L", 100)
    return _zip([(FILE, data)]).replace(said, wanted)


def _nested(outside: Path) -> bytes:
    data: str | bytes = healthy()
    name = FILE
    for _ in range(20):
        data, name = _zip([(name, data)]), ZIP
    assert isinstance(data, bytes)
    return data


def _locked(outside: Path) -> bytes:
    """An archive whose entry is marked as encrypted, in both of its headers."""
    data = bytearray(_zip([(FILE, healthy())]))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def _doubled(outside: Path) -> bytes:
    return _zip([(FILE, buggy()), ("ch8-4-pX.py", healthy())]).replace(b"-pX.py", b"-pt.py")


ARCHIVES: dict[str, Callable[[Path], bytes]] = {
    "zip-slip": _slip,
    "zip-absolute": _absolute,
    "zip-symlink": _linked,
    "zip-bomb": lambda outside: _zip([(FILE, bytes(64 * 2**20))]),
    "zip-that-lies": _lying,
    "zip-of-zips": _nested,
    "zip-of-many": lambda outside: _zip([(f"{n}.py", "") for n in range(21_000)]),
    "zip-of-another": lambda outside: _zip(
        [(FILE, buggy()), (f"zip-doubled/{FILE}", "x = 1\n"), (f"../zip-doubled/{FILE}", "x = 1\n")]
    ),
    "zip-doubled": _doubled,
    "zip-locked": _locked,
    "zip-broken": lambda outside: _zip([(FILE, healthy())])[:-400],
}

# Files that are none


def _symlink(path: Path, outside: Path) -> None:
    target = outside / "symlink" / FILE
    target.parent.mkdir(parents=True)
    target.write_text(healthy(), "utf-8")
    path.symlink_to(target)


def _sparse(path: Path, outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2 * 2**30)


FILES: dict[str, Callable[[Path, Path], None]] = {
    "symlink": _symlink,
    "symlink-to-stdin": lambda path, outside: path.symlink_to("/dev/stdin"),
    "fifo": lambda path, outside: os.mkfifo(path),
    "folder-for-a-file": lambda path, outside: path.mkdir(),
    "sparse": _sparse,
}
