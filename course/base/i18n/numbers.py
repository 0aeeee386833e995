"""Numbers, shares, sizes, times and dates, written as the language in force writes them.

English has `88.7%` and `1,234.5`, Russian `88,7 %` and `1 234,5` with spaces that don't break.
Babel knows how; its modules are imported inside the functions, as most commands show no number and
the import would cost each of them several hundredths of a second.

What a machine reads back (JSON, CSV, subtitle times, logs) must not go through here.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from string import Formatter
from typing import Any

from course.base import i18n


def read(text: str) -> float:
    """Read a number as the language in force writes it, or as programs do: `3,5` or `3.5`.

    Raises:
        ValueError: it is none, or may be meant as one or another, such as thousands.

    """
    from babel.numbers import get_decimal_symbol, get_group_symbol, parse_decimal

    written, locale = text.strip(), _locale_name()
    is_grouped = re.fullmatch(rf"\d{{1,3}}({re.escape(get_group_symbol(locale))}\d{{3}})+", written)
    if get_decimal_symbol(locale) == "," and (is_grouped or re.fullmatch(r"\d+,\d+", written)):
        if is_grouped:
            raise ValueError(f"one number or another: {text}")
        return float(parse_decimal(written, locale=locale, strict=True))
    return float(written)


def decimal(value: float, digits: int) -> str:
    """Write a number with so many decimals, without grouping: `0,50`."""
    return format(Figure(value), f".{digits}f")


def at_most(value: float, digits: int) -> str:
    """Write a number with no more decimals than it needs, and at most so many: `4,5`, `3`."""
    rounded = f"{value:.{digits}f}"
    needed = len(rounded.rstrip("0").partition(".")[2])
    # Adding zero takes the sign from a negative one.
    return decimal(float(rounded) + 0.0, needed)


def significant(value: float, digits: int = 6) -> str:
    """Write a number with at most so many significant digits, as `%g` cuts them: `2e-05`, `0,5`."""
    return format(Figure(value), f".{digits}g")


def percent(share: float, digits: int = 0) -> str:
    """Write a share from 0 to 1 in per cent, the sign included: `88,7 %`."""
    return format(Figure(share), f".{digits}%")


def whole(value: float) -> str:
    """Round a number to a whole one and group its digits by thousands: `12 345`."""
    return format(Figure(value), ",.0f")


def amount(value: float, unit: str, digits: int = 0) -> str:
    """Write an amount with its unit, as CLDR names it: `digital-megabyte`, `duration-hour`."""
    from babel.units import format_unit

    pattern, locale = _pattern("", digits), _locale_name()
    text = format_unit(round(value, digits), unit, "short", pattern, locale=locale)
    # CLDR has no space before a Han character, and all our other amounts have one.
    text = re.sub(r"(?<=\d)(?=[\u4e00-\u9fff])", " ", text)
    # The made-up language marks what is not of the catalogue, too.
    return i18n._(text) if i18n.language() == i18n.PSEUDO else text


def day(when: date) -> str:
    """Write a date, the month as a word: `3 сент. 2026 г.`."""
    from babel.dates import format_date

    written = format_date(when, "medium", locale=_locale_name())
    # The narrow one is in none of the old code pages that a terminal may still have.
    return written.replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")


def moment(when: datetime) -> str:
    """Write a date and the time of day to the minute, of 24 hours, in the zone that `when` has."""
    from babel.dates import format_time, get_datetime_format

    # Babel takes a time without a zone for UTC and shows it in UTC: as it is.
    time = format_time(when.replace(tzinfo=None), "HH:mm", locale=_locale_name())
    joint = str(get_datetime_format("medium", locale=_locale_name()))
    return joint.replace("{1}", day(when.date())).replace("{0}", time)


class Figure(float):
    """A number that `format` writes as the language does: `"{loss:.2f}".format(loss=Figure(x))`.

    So a translated text keeps its placeholders. It understands `f`, `g`, `e`, `%` and nothing, with
    or without a precision, a sign (`+`, `z`) or grouping (`,`), but no width; `str` and `repr` are
    a float's own.
    """

    def __format__(self, spec: str) -> str:
        """Format with Python's rules for precision and rounding, the language's for the signs.

        Raises:
            ValueError: Python knows no such spec for a number.

        """
        written = format(float(self), spec)
        if not math.isfinite(self):
            return written  # `nan` and `inf`, as the libraries print them
        grouped = "," in spec
        mantissa, exponent, power = written.replace(",", "").partition("e")
        is_percent = mantissa.endswith("%")
        plus = "+" if mantissa.startswith("+") else ""
        exact = Decimal(mantissa.rstrip("%")).scaleb(-2 if is_percent else 0)
        digits = len(mantissa.rstrip("%").partition(".")[2])
        pattern = _pattern("%" if is_percent else "", digits)
        from babel.numbers import format_decimal, format_percent

        write = format_percent if is_percent else format_decimal
        shown = write(exact, pattern, locale=_locale_name(), group_separator=grouped)
        return plus + shown + exponent + power


class Unmeasured:
    """What stands in a text for a number that was not measured: words, however it is formatted."""

    def __format__(self, spec: str) -> str:
        # Translators: stands in place of a number in a sentence.
        return i18n._("not measured")

    def __str__(self) -> str:
        return format(self)


class LeftOpen:
    """What stands in a text for a number of some run or other, however it is formatted."""

    def __format__(self, spec: str) -> str:
        return "…"


def figures(values: Mapping[str, float]) -> "defaultdict[str, Figure | Unmeasured]":
    """Make what `fill` fills a text with: each number a `Figure`, a missing one `Unmeasured`."""
    known = {name: Figure(value) for name, value in values.items()}
    return defaultdict(Unmeasured, known)


def fill(text: str, values: Mapping[str, Any]) -> str:
    """Fill in a text as `format_map` does; a name may have dots in it, `{model.moved_share:.0%}`.

    Raises:
        KeyError, ValueError: a name is not among the values, or a format is not one of its value's.

    """
    return _Filling().vformat(text, (), values)


class _Filling(Formatter):
    """Takes the name of a placeholder as it stands, where Python would look for an attribute."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        return kwargs[field_name], field_name


def _locale_name() -> str:
    """Return the language in force as Babel names it; the made-up one counts as English does."""
    language = i18n.language()
    return i18n.SOURCE if language == i18n.PSEUDO else language


def _pattern(sign: str, digits: int) -> str:
    """Make the language's own pattern for a number or for per cent, cut to so many decimals."""
    from babel import Locale

    locale = Locale.parse(_locale_name())
    formats = locale.percent_formats if sign else locale.decimal_formats
    own: str = formats[None].pattern
    # Such as `#,##0.###` and `#,##0 %`: what stands after the last digit of the whole part changes.
    head, _zero, tail = own.rpartition("0")
    tail = tail if sign else ""
    return f"{head}0{'.' + '0' * digits if digits else ''}{tail}"
