import math
from datetime import UTC, datetime, timedelta, timezone

import pytest

from course.base import i18n
from course.base.i18n import numbers
from course.base.i18n.numbers import Figure
from tests.command import python

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("language", "decimal", "percent", "whole"),
    [
        ("en", "-1234.50", "88.7%", "1,234,568"),
        ("zh", "-1234.50", "88.7%", "1,234,568"),
        ("ru", "-1234,50", f"88,7{NBSP}%", f"1{NBSP}234{NBSP}568"),
        ("qps", "-1234.50", "88.7%", "1,234,568"),
    ],
)
def test_numbers_are_written_as_the_language_does(
    language: str, decimal: str, percent: str, whole: str
) -> None:
    i18n.activate(language)
    assert numbers.decimal(-1234.5, 2) == decimal
    assert numbers.percent(0.887, 1) == percent
    assert numbers.whole(1234567.8) == whole


SPECS = (
    ".0f",
    ".1f",
    ".2f",
    "z.2f",
    "+.1f",
    ".2g",
    ".4g",
    "g",
    ".1e",
    ".0%",
    ".1%",
    ",.0f",
    ",.2f",
)
VALUES = (0.0, -0.001, 0.125, 2.675, 0.005, 1e-7, 2e-05, 0.5, 3.0, 99.95, 1234.5, 1e6, -7e9, 1e22)


@pytest.mark.parametrize("spec", SPECS)
def test_english_is_what_python_writes(spec: str) -> None:
    # So no digit changes by Babel's own way of rounding.
    written = [format(Figure(value), spec) for value in VALUES]
    assert written == [format(value, spec) for value in VALUES]


@pytest.mark.parametrize("spec", SPECS)
def test_russian_has_the_same_digits_and_its_own_signs(spec: str) -> None:
    i18n.activate("ru")
    own = str.maketrans({".": ",", ",": NBSP, "%": f"{NBSP}%"})
    for value in VALUES:
        assert format(Figure(value), spec) == format(value, spec).translate(own)


def test_a_translated_text_keeps_its_placeholders() -> None:
    i18n.activate("ru")
    text = "{left:.0%} / {loss:.2f} / {steps:.0f} / {none:.1f} / {rate:.2g}"
    values = {"left": 0.5, "loss": 0.693, "steps": 2000, "rate": 2e-5}
    shown = numbers.fill(text, numbers.figures(values))
    assert shown == f"50{NBSP}% / 0,69 / 2000 / {numbers.Unmeasured()} / 2e-05"


def test_what_was_not_measured_is_never_written_as_a_number() -> None:
    text = "{loss:.2f} {share:.0%} {n}"
    assert numbers.fill(text, numbers.figures({"n": 0})) == "not measured not measured 0.0"


def test_a_placeholder_may_name_a_vital_sign() -> None:
    i18n.activate("ru")
    values = numbers.figures({"model.moved_share": 0.25, "model": 7.0})
    assert numbers.fill("{model.moved_share:.0%} {model:.0f}", values) == f"25{NBSP}% 7"
    with pytest.raises(ValueError, match="format"):
        numbers.fill("{model.moved_share:q}", values)


def test_what_is_no_number_is_called_as_the_libraries_do() -> None:
    i18n.activate("ru")
    assert numbers.decimal(math.nan, 2) == "nan"
    assert numbers.percent(math.inf) == "inf%"
    assert numbers.significant(-math.inf) == "-inf"


@pytest.mark.parametrize(
    ("language", "day", "moment"),
    [
        ("en", "Sep 3, 2026", "Sep 3, 2026, 08:05"),
        ("zh", "2026年9月3日", "2026年9月3日 08:05"),
        ("ru", "3 сент. 2026 г.", "3 сент. 2026 г., 08:05"),
    ],
)
def test_a_moment_is_told_in_its_own_zone(language: str, day: str, moment: str) -> None:
    i18n.activate(language)
    there = timezone(timedelta(hours=8))
    for when in (datetime(2026, 9, 3, 8, 5, tzinfo=there), datetime(2026, 9, 3, 8, 5, tzinfo=UTC)):
        assert numbers.day(when).replace(NBSP, " ") == day
        assert numbers.moment(when).replace(NBSP, " ") == moment


def test_babel_is_loaded_when_the_first_number_is_shown() -> None:
    script = (
        "import sys; from course.base.i18n import numbers; assert 'babel' not in sys.modules;"
        "print(numbers.decimal(0.5, 1), 'babel.numbers' in sys.modules)"
    )
    assert python("-c", script).stdout == "0.5 True\n"


@pytest.mark.parametrize(
    ("lang", "text", "value"),
    [
        *(("ru", "3,5", 3.5), ("ru", "3.5", 3.5), ("ru", " 4 ", 4.0), ("ru", "0,25", 0.25)),
        *(("en", "3.5", 3.5), ("zh", "3.5", 3.5), ("en", "12", 12.0), ("ru", "1,234", 1.234)),
    ],
)
def test_a_number_is_read_as_the_language_writes_it(lang: str, text: str, value: float) -> None:
    i18n.activate(lang)
    assert numbers.read(text) == value


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        *(("en", "3,5"), ("zh", "3,5"), ("en", "1,234"), ("en", "1,234.5"), ("ru", "3,5,1")),
        *(("ru", "1.234,5"), ("ru", "1 234"), ("ru", "1\xa0234"), ("ru", ""), ("en", "three")),
    ],
)
def test_a_number_that_may_be_another_is_none(lang: str, text: str) -> None:
    i18n.activate(lang)
    with pytest.raises(ValueError, match=r"could not|one number or another"):
        numbers.read(text)
