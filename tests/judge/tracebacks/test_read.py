"""Tracebacks and logs in every form that people paste: which exception, and whose line."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from course.judge.tracebacks import text as texts
from course.judge.tracebacks.read import QuotedError, read

PASTED = tomllib.loads(Path(__file__).with_name("pasted.toml").read_text("utf-8"))
PLAIN: str = PASTED["forms"]["plain"]
OTHER = PLAIN.replace("index out of range in self", "another rank's")


def first(text: str) -> QuotedError:
    return read(text)[0]


def stamped(stamp: str, text: str = PLAIN) -> str:
    return "".join(f"{stamp}{line}\n" for line in text.splitlines())


def interleaved(one: str, other: str) -> str:
    pairs = zip(one.splitlines(), other.splitlines(), strict=True)
    return "".join(f"{a}\n{b}\n" for a, b in pairs)


FORMS = {
    "plain": PLAIN,
    "Windows": PLAIN.replace("/opt/ada/lib/python3.11/", "C:\\\\Python311\\\\Lib\\\\").replace(
        "\n", "\r\n"
    ),
    "debugger": "Exception has occurred: IndexError  (note: paused at: _run_module_as_main)\n"
    "index out of range in self\n" + "\n".join(PLAIN.splitlines()[1:-1]),
    "debugger, told twice": "Exception has occurred: IndexError\nindex out of range in self\n"
    + "\n".join(PLAIN.splitlines()[1:]),
    "quote marks": stamped("> "),
    "fence": f"I get this:\n```\n{PLAIN}```\nWhat is wrong?\n",
    "rank": stamped("[rank0]: "),
    "ranks": interleaved(stamped("[rank0]: "), stamped("[rank1]: ", OTHER)),
    "ranks of torchrun": interleaved(stamped("[default0]:"), stamped("[default1]:", OTHER)),
    "SLURM": interleaved(stamped("0: "), stamped("1: ", OTHER))
    + "srun: error: n1: task 0: Exited\n",
    "MPI": stamped("[1,0]<stderr>:"),
    "Ray": stamped("(Trainer pid=4711, ip=10.0.0.1) "),
    "compose": stamped("trainer-1  | "),
    "Kaggle": stamped("37.5s 12 "),
    "GitHub": stamped("2026-01-02T03:04:05.123Z "),
    "logging": f"2026-01-02 03:04:05,678 - root - ERROR - failed\n{PLAIN}",
    "JSON": "".join(
        json.dumps({"stream_name": "stderr", "time": 3.5, "data": f"{line}\n"}) + "\n"
        for line in PLAIN.splitlines()
    ),
    "one JSON": json.dumps({"log": PLAIN}),
    "escaped": json.dumps({"no key of ours": PLAIN}),
    "one line": " ".join(line.strip() for line in PLAIN.splitlines()),
    "notebook": json.dumps(
        {"cells": [{"outputs": [{"output_type": "error", "traceback": PLAIN.splitlines()}]}]}
    ),
    "progress bar": f"  0%|          | 0/7 [00:00<?, ?it/s]\r 14%|█▍        | 1/7{PLAIN}",
    "colours": PLAIN.replace("IndexError", "\x1b[0;31mIndexError\x1b[0m"),
    "lost escapes": PLAIN.replace("IndexError", "[0;31mIndexError[0m"),
    "ipykernel": PLAIN.replace("/home/ada/train.py", "/tmp/ipykernel_33/857740956.py"),
    "entities": PLAIN.replace('"', "&quot;").replace("<module>", "&lt;module&gt;"),
}
FORMS |= {name: text.replace("PLAIN\n", PLAIN) for name, text in PASTED["forms"].items()}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form_has_the_exception_and_the_learners_line(text: str) -> None:
    found = first(text)
    assert found.type == "IndexError"
    assert found.message == "index out of range in self"
    assert found.own is not None
    assert found.own.line == 12
    assert found.own.text == "outputs = model(**batch)"


@pytest.mark.parametrize(("text", "type_", "message"), PASTED["messages"])
def test_a_message_alone_or_in_a_sentence(text: str, type_: str, message: str) -> None:
    found = first(text)
    assert (found.type, found.message, found.own) == (type_, message, None)


@pytest.mark.parametrize("row", PASTED["read"])
def test_what_is_read(row: dict[str, Any]) -> None:
    found = first(row["text"])
    assert (found.type, found.message) == (row["type"], row["message"])
    assert (found.own and found.own.line) == row.get("line")
    if "code" in row:
        assert found.own is not None
        assert found.own.text == row["code"]
    for part, wanted in (("module", row.get("modules")), ("function", row.get("functions"))):
        assert wanted in (None, [getattr(frame, part) for frame in found.frames])


def test_that_there_are_two_errors_is_told() -> None:
    other = PLAIN.replace("index out of range in self", "Target 3 is out of bounds.")
    found = first(f"{PLAIN}\nand then, in another run\n\n{other}")
    assert found.message == "Target 3 is out of bounds."
    assert found.others == ("IndexError: index out of range in self",)


ONE_ERROR = {
    "once": PLAIN,
    "twice": PLAIN + "\n" + PLAIN,
    "a chain": f"{PLAIN}\nDuring handling of the above exception, another exception occurred:\n\n"
    + OTHER,
    "ranks": FORMS["ranks"],
    "a launcher's": FORMS["torchrun's table"],
}


@pytest.mark.parametrize("text", ONE_ERROR.values(), ids=ONE_ERROR)
def test_one_error_has_no_others(text: str) -> None:
    assert all(each.others == () for each in read(text))


def test_the_last_words_of_a_traceback_are_its_message_though_no_class_is_there() -> None:
    found = first(PLAIN.replace("IndexError: ", ""))
    assert (found.type, found.message) == ("", "index out of range in self")
    assert found.own is not None
    assert found.own.line == 12
    named = first(
        PLAIN.replace("IndexError: index out of range in self", "name 'x' is not defined")
    )
    assert named.type == "NameError"


def test_of_a_direct_cause_the_cause_comes_first_and_else_the_last() -> None:
    one, other = PLAIN, PLAIN.replace("IndexError: index out of range in self", "KeyError: 'k'")
    cause = "\nThe above exception was the direct cause of the following exception:\n\n"
    during = "\nDuring handling of the above exception, another exception occurred:\n\n"
    assert [e.type for e in read(one + cause + other)] == ["IndexError", "KeyError"]
    assert [e.type for e in read(one + during + other)] == ["KeyError", "IndexError"]


ASSERTED = "/a/Loss.cu:240: nll_loss: block: [0,0,0], thread: [4,0,0] Assertion `t < n` failed."


def test_what_a_gpu_printed_comes_before_the_error_that_came_of_it() -> None:
    late = PLAIN.replace("index out of range in self", "CUDA error: device-side assert triggered")
    (first_said, told) = read(f"{ASSERTED}\n{ASSERTED}\n{late}")
    assert first_said.message == ASSERTED.removesuffix(".")
    assert first_said.own == told.own is not None
    assert [each.message for each in read(f"{ASSERTED}\n{PLAIN}")] == ["index out of range in self"]
    assert first(ASSERTED).message == ASSERTED.removesuffix(".")


def test_a_class_before_the_traceback_of_a_worker_is_no_prefix() -> None:
    # As a DataLoader of torch 0.4 told it.
    text = PLAIN.replace("Traceback (most", "TypeError: Traceback (most")
    text = PLAIN.replace("index out of range in self", text)
    assert any(each.message == "index out of range in self" for each in read(text))


def test_a_cause_within_a_library_has_the_learners_line_of_its_chain() -> None:
    inner = """Traceback (most recent call last):
  File "/x/site-packages/datasets/load.py", line 3, in load
    raise ValueError("inner")
ValueError: inner
"""
    cause = "\nThe above exception was the direct cause of the following exception:\n\n"
    found = first(inner + cause + PLAIN)
    assert (found.message, found.own and found.own.line) == ("inner", 12)


def test_versions_that_the_text_tells() -> None:
    text = f"""- `transformers` version: 4.46.0
- PyTorch version (GPU?): 2.0.1+cu118 (True)
datasets==3.6.0 accelerate==1.0
{PLAIN}"""
    known = {"transformers": "4.46.0", "torch": "2.0.1", "datasets": "3.6.0", "accelerate": "1.0"}
    assert known.items() <= first(text).versions.items()


@pytest.mark.live
def test_of_a_long_log_the_end_is_read() -> None:
    found = first("step\n" * (texts.MOST // 5 + 9) + PLAIN)
    assert found.message == "index out of range in self"
    assert read("\n" * 300_000 + PLAIN)[0].own is not None


@pytest.mark.parametrize(
    "raw", [PLAIN.encode(), PLAIN.encode("utf-16"), b"\xff\x00" + PLAIN.encode()]
)
def test_any_encoding_can_be_read(raw: bytes) -> None:
    assert first(texts.decode(raw)).type == "IndexError"


@pytest.mark.parametrize("text", ["", "\n", "   "])
def test_nothing_is_no_error(text: str) -> None:
    assert read(text) == []
