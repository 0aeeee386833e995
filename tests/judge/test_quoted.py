"""What a text's error may be: held against the catalogue, and never more than the words tell."""

import random
import tomllib
from pathlib import Path

import pytest

from course.judge import quoted
from course.judge.quoted import Explained
from course.judge.tracebacks.read import read
from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature
from tests.judge.tracebacks.test_read import FORMS
from tests.tiers import exhaustive

THREADS = Path(__file__).parents[2] / "benchmarks" / "messages"
POSTED = [
    message["text"]
    for file in sorted(THREADS.glob("*.toml"))
    for message in tomllib.loads(file.read_text("utf-8"))["message"]
]


def judged(text: str) -> Explained:
    explained = quoted.judge(read(text))
    assert explained is not None
    return explained


def names(text: str) -> list[str]:
    return [match.fault.id for match in judged(text).found]


EXAMPLES = [
    (fault.id, signature)
    for fault in catalogue().values()
    for signature in fault.signatures
    if isinstance(signature, Signature) and not fault.general and signature.hub != "embedded"
    # Words alone have no line of a traceback to look into.
    if signature.frame is None
]


@pytest.mark.parametrize(
    ("fault", "signature"), EXAMPLES, ids=[f"{i}-{f}" for i, (f, _s) in enumerate(EXAMPLES)]
)
def test_each_example_of_the_catalogue_is_named_and_at_most_one_fault_for_certain(
    fault: str, signature: Signature
) -> None:
    found = judged(signature.words).found
    assert fault in [match.fault.id for match in found]
    assert sum(match.certain for match in found if not match.fault.general) <= 1


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form_is_judged(text: str) -> None:
    assert names(text)


def test_the_cause_is_named_and_not_what_came_of_it() -> None:
    text = """Traceback (most recent call last):
  File "a.py", line 1, in <module>
    x
IndexError: Target 3 is out of bounds.

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "a.py", line 2, in <module>
    y
RuntimeError: the training failed
"""
    explained = judged(text)
    assert explained.error.type == "IndexError"
    assert explained.found[0].fault.id == "target-out-of-bounds"
    assert explained.found[0].certain


UNKNOWN = (
    "FrobnicationError: the frob is out of order",
    "ValueError: the moon is not full",
    "RuntimeError: Target language is out of scope",
    "it cannot be done",
)


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_unknown_stays_so(text: str) -> None:
    assert judged(text).found == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "epoch 1: loss 0.3\nepoch 2: loss 0.2\n",
        "x.py:3: UserWarning: the old way will go\n  warnings.warn(x)",
        "failed\n" * 30,
    ],
)
def test_no_error_is_none(text: str) -> None:
    assert quoted.judge(read(text)) is None


@pytest.mark.parametrize(
    ("line", "fault", "certain"),
    [
        ("self.position_embeddings(position_ids)", "sequence-too-long", True),
        ("self.wpe(position_ids)", "sequence-too-long", True),
        ("self.word_embeddings(input_ids)", "embeddings-not-resized", False),
    ],
)
def test_the_line_that_looked_it_up_tells_which_table(line: str, fault: str, certain: bool) -> None:
    text = f"""Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/transformers/models/bert/modeling_bert.py", line 9, in f
    embeddings = {line}
  File "/usr/lib/python3.11/site-packages/torch/nn/functional.py", line 2, in embedding
    return torch.embedding(weight, input)
IndexError: index out of range in self
"""
    found = judged(text).found
    assert (found[0].fault.id, found[0].certain) == (fault, certain)
    assert ("sequence-too-long" in [each.fault.id for each in found]) == certain


def test_another_class_or_a_cut_message_makes_it_possible_only() -> None:
    (match, *_others) = judged("OSError: Target 3 is out of bounds.").found
    assert (match.fault.id, match.certain) == ("target-out-of-bounds", False)
    (match,) = judged("RuntimeError: each element in list of batch should be...").found
    assert (match.fault.id, match.certain) == ("length-mismatch", False)


def test_what_a_script_raises_itself_is_not_a_librarys_word() -> None:
    text = """Traceback (most recent call last):
  File "a.py", line 1, in <module>
    raise IndexError("Target 3 is out of bounds.")
IndexError: Target 3 is out of bounds.
"""
    assert names(text) == []


def test_a_suggestion_of_python_makes_a_name_misspelt() -> None:
    assert names("NameError: name 'modle' is not defined. Did you mean: 'model'?") == [
        "misspelt-name"
    ]


def mutated(text: str, chance: random.Random) -> str:
    """A text with a few accidents: pieces cut, doubled, moved, joined, and other characters."""
    for _ in range(chance.randint(1, 6)):
        at, end = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        end = min(end, at + chance.choice((1, 5, 40, 10_000)))
        piece = text[at:end]
        text = chance.choice(
            (
                text[:at] + text[end:],
                text[:end] + piece + text[end:],
                text[end:] + piece + text[:at],
                text[:at] + "".join(chance.choices(ODD, k=5)) + text[end:],
                text.replace("\n", chance.choice(ODD)),
                "\n".join(chance.sample(lines := text.split("\n"), len(lines))),
                text[:at] + chance.choice(POSTED) + text[end:],
            )
        )[:20_000]
    return text


ODD = ("\n", "\r", "\x1b", "[", "]", "(", "`", '"', "'", "\\", ":", "File ", "|", ">", "{", "}")
ODD += (
    "\x00",
    "\ud800",
    "中",
    "９",
    "²",
    " ",
    "\t",
    "0: ",
    "[rank0]: ",
    "Error: ",
    "line ",
    "9" * 30,
)


@pytest.mark.live
@pytest.mark.parametrize("how_many", [300, exhaustive(100_000)])
def test_no_text_whatever_raises(how_many: int) -> None:
    chance = random.Random(19)
    seeds = [*FORMS.values(), *POSTED]
    for _ in range(how_many):
        quoted.judge(read(mutated(chance.choice(seeds), chance)))


def test_a_traceback_that_ends_before_the_library_is_told_by_its_words() -> None:
    head = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n'
    explained = quoted.judge(read(head + "IndexError: index out of range in self\n"))
    assert explained is not None
    names = [match.fault.id for match in explained.found]
    assert {"sequence-too-long", "embeddings-not-resized"} <= set(names)
    assert not any(match.certain for match in explained.found)
    # What Python says of any list is not taken for a library's.
    explained = quoted.judge(read(head + "IndexError: list index out of range\n"))
    assert explained is not None
    assert [match.fault.id for match in explained.found] == ["index-out-of-range"]
