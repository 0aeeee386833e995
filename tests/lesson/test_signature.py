"""What of a pattern is looked for before the pattern itself."""

import pytest

from course.lesson.signature import Signature, compiled, needed
from tests.lesson.signatures import of_kind

SIGNATURES = of_kind(Signature)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("no such file", "no such file"),
        (r"size (?P<own>\d+) of\.(a|b) all", "size "),
        (r"a(?:b|c(d)e)f\)ghi", "f)ghi"),
        (r"[)x] of all [(\]]+ and", " of all "),
        (r"end\\path", r"end\path"),
        (r"colou?rs", "colo"),
        (r"ab{2,1000}c", "a"),
        (r"ab{2}?cde", "cde"),
        (r"one\btwo\.three", "two.three"),
        ("this|that", ""),
        ("(this|that)", ""),
        ("(?i)abc", ""),
        ("", ""),
    ],
)
def test_what_each_match_holds(pattern: str, text: str) -> None:
    assert needed(pattern) == text


def test_no_message_that_fits_is_without_it() -> None:
    # The examples of all are tried with each, so that a pattern meets messages that others mean.
    examples = [signature.example for _fault, signature in SIGNATURES]
    lacking = [
        (fault.id, example)
        for fault, signature in SIGNATURES
        for example in examples
        if signature.needs not in example and compiled(signature.message).search(example)
    ]
    assert lacking == []
    # It spares most of the work.
    assert sum(bool(signature.needs) for _fault, signature in SIGNATURES) > len(SIGNATURES) / 2
