"""The vital signs of a training, each beside what is usual: figures, and a mark where they differ.

What is usual is ours to say: of the fine-tuning of a pre-trained model, as the lessons do it. A
sign outside of it need not be a fault; that is the verdict's to say.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from course.base.i18n import N_, _, enumerate_words, numbers
from course.render.blocks import MARK, Gap, Paragraph, StoryBlock, Table, TableRow, Tone
from course.runs.vital_signs import (
    DataSigns,
    LossSigns,
    ModelSigns,
    OutcomeSigns,
    ParameterGroup,
    RateSigns,
    VitalSigns,
)

STARTS_ABOVE = 1.5
"""Times the loss of guessing that the first loss may be, and still be near it."""
ZERO_RATE = 0.05
"""The share of steps that may have no rate at all, as the first of a warm-up has."""
UNKNOWN, CUT = 0.05, 0.1
"""Shares of the tokens that may be unknown, and of the texts that truncation may take away."""
WIDE = 1.5
"""Times the longest row of a batch that its width may be."""
SHUFFLED = 0.3
"""How far the order of shuffled labels may be from what chance would give, which is 1."""
UNEVEN = 0.1
"""How far the mean number of times that an example was seen may be from a whole one."""
OFF = 0.005
"""What the script's own figure may differ by: it may be rounded."""
NO_NUMBER = "`nan`"
GATHERED = 64
"""Batches that a step may gather the gradients of."""
SHOWN = 6
"""Labels that are counted each."""


def vitals(signs: VitalSigns | None, first: int = 0) -> Iterator[StoryBlock]:
    """Yield the parts of the signs from `first` on, with a heading and what the mark means."""
    if signs is None:
        yield Gap()
        yield Paragraph(
            _(
                "No vital signs (measured values of the training) are available: they are measured "
                "while a model trains."
            )
        )
        return
    tables = parts(signs)[first:]
    yield Gap()
    yield Paragraph(_("Vital signs"), "heading")
    for table in tables:
        yield table
        yield Gap()
    if any(row.is_marked for table in tables for row in table.rows):
        sentence = _("A `{mark}` marks an unusual value; it may still be right.")
        yield Paragraph(sentence.format(mark=MARK), "quiet")


def parts(signs: VitalSigns) -> list[Table]:
    """Return the parts in order, each a table of name · measured · usual; one of parameters."""
    made = [
        _table(N_("The model"), _model(signs.model)),
        _groups(signs.model.groups),
        _table(N_("The loss"), _loss(signs.loss)),
        _table(N_("The learning rate"), _rate(signs.rate)),
        _table(
            N_("The data"),
            _data(signs.data, signs.outcome, signs.model.processes),
        ),
        _table(N_("The outcome"), _outcome(signs.outcome, signs.data)),
    ]
    firsts = tuple(row.cells[0] for table in made for row in table.rows)
    return [replace(table, firsts=firsts) for table in made if table.rows]


def document(signs: VitalSigns | None) -> dict[str, Any] | None:
    """Return the signs for programs: all of them by name, unmeasured ones as null."""
    return _plain(asdict(signs)) if signs is not None else None


def _plain(value: Any) -> Any:
    """Round numbers to six digits that count; None for what JSON does not have."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def _table(title: str, rows: Iterable[TableRow | None]) -> Table:
    """Make the table of a part of the signs; where none was measured, that is all it says."""
    shown = [row for row in rows if row is not None]
    if all(row.tone == "quiet" for row in shown):
        shown = [TableRow((_("not measured"), "", ""), "quiet")]
    return Table((_(title), _("measured"), _("usual")), tuple(shown))


def _row(what: str, measured: str | None, usual: str = "", *, off: bool = False) -> TableRow:
    """Make a sign's row; `measured` is None where it was not, `off` tells that it is unusual."""
    if measured is None:
        return TableRow((_(what), _("not measured"), usual), "quiet")
    tone: Tone = "bad" if off else "text"
    return TableRow((_(what), measured, usual), tone)


def _extra(what: str, share: float | None) -> TableRow | None:
    """Make a row for a share that is 0 as a rule, and told of only where it is not."""
    return _row(what, _share(share), numbers.percent(0), off=True) if share else None


def _model(signs: ModelSigns) -> Iterator[TableRow | None]:
    yield _row(N_("model"), _named(signs.name))
    yield _row(N_("optimizer"), _named(signs.optimizer))
    yield _row(N_("device, number type"), _named(signs.device, signs.dtype))
    yield _all(N_("trainable weight tensors"), signs.learning, signs.parameters)
    yield _all(N_("in the optimizer"), signs.held, signs.learning)
    yield _all(N_("changed"), signs.moved, signs.learning)
    yield _row(N_("relative change"), _way(signs), _more(0), off=signs.moved_by == 0)
    if signs.frozen_moved:
        moved = numbers.whole(signs.frozen_moved)
        yield _row(N_("changed although frozen"), moved, numbers.whole(0), off=True)
    yield from _pace(signs)
    gradient = _small(signs.gradient)
    yield _row(N_("gradient at a step"), gradient, _more(0), off=signs.gradient == 0)
    yield _extra(N_("steps without a gradient"), signs.without_gradient)
    yield _extra(N_("steps with an already cleared gradient"), signs.cleared_before_step)
    yield _extra(N_("steps with gradients that are not numbers"), signs.infinite_gradient)
    yield _extra(N_("gradient left from earlier steps"), signs.left_over)
    trains, tests = signs.train_mode_share, signs.evaluate_mode_share
    yield _row(
        N_("training mode in the training"), _share(trains), numbers.percent(1), off=trains != 1
    )
    yield _row(
        N_("training mode in the evaluation"), _share(tests), numbers.percent(0), off=bool(tests)
    )
    same = signs.evaluated_is_trained
    said = None if same is None else _("yes") if same else _("no")
    yield _row(N_("evaluated model is the trained one"), said, _("yes"), off=not same)


def _way(signs: ModelSigns) -> str | None:
    """Write how far the weights moved beside their size, and since when."""
    share = _share(signs.moved_by)
    if share is None or signs.first_moved is None:
        return share
    step = numbers.whole(signs.first_moved)
    return _("{share}, from step {step} on").format(share=share, step=step)


def _groups(groups: tuple[ParameterGroup, ...]) -> Table:
    headings = N_("part of the model"), N_("in the optimizer"), N_("changed"), N_("relative change")
    rows = []
    for group in groups:
        held, moved = _of(group.held, group.learning), _of(group.moved, group.learning)
        cells = f"`{group.name}`", held, moved, _share(group.moved_by)
        counts = (group.moved, group.learning), (group.held, group.learning)
        still = any(n is not None and n < of for n, of in counts)
        off = still or group.learning < group.parameters
        shown = tuple(_("not measured") if cell is None else cell for cell in cells)
        rows.append(TableRow(shown, "bad" if off else "text"))
    return Table(tuple(map(_, headings)), tuple(rows))


def _loss(signs: LossSigns) -> Iterator[TableRow | None]:
    guess = signs.guess
    near, below = "", ""
    if guess is not None:
        near = _("about {value} (random guessing)").format(value=numbers.decimal(guess, 2))
        below = f"< {numbers.decimal(guess, 2)}"
    broken = signs.finite is not None and signs.finite < 1
    ends = {"first": signs.first, "last": signs.last}
    # The probe writes no mean of passes of which one is no number.
    shown = {k: NO_NUMBER if v is None and broken else _decimal(v) for k, v in ends.items()}
    start = _is_no_number(signs.first, broken=broken) or _above(signs.first, guess, STARTS_ABOVE)
    end = _is_no_number(signs.last, broken=broken) or _above(signs.last, guess)
    yield _row(N_("loss at the start"), shown["first"], near, off=start)
    yield _row(N_("loss at the end"), shown["last"], below, off=end)
    yield _row(
        N_("forward passes with a finite loss"),
        _share(signs.finite),
        numbers.percent(1),
        off=broken,
    )


def _rate(signs: RateSigns) -> Iterator[TableRow | None]:
    low, high, rate = signs.usual_low, signs.usual_high, signs.highest
    usual = ""
    if low is not None and high is not None:
        usual = f"{_small(low)} – {_small(high)}"
    off = rate is not None and bool(usual) and not (low or 0) <= rate <= (high or 0)
    yield _row(N_("highest"), _small(rate), usual, off=off)
    yield _row(N_("mean"), _small(signs.mean))
    yield _row(N_("at the last step"), _small(signs.last))
    none = signs.zero_share
    under = _under(ZERO_RATE)
    yield _row(
        N_("steps with a learning rate of 0"), _share(none), under, off=(none or 0) > ZERO_RATE
    )


def _data(
    signs: DataSigns, outcome: OutcomeSigns, processes: int | None
) -> Iterator[TableRow | None]:
    yield _row(N_("split"), _named(signs.split), "`train`", off="train" not in (signs.split or ""))
    yield _row(N_("different examples"), _whole(signs.examples))
    seen = signs.repeats
    times = numbers.at_most(seen, 2) if seen is not None else None
    # One of several processes has another share of the data in each epoch.
    uneven = seen is not None and processes in (None, 1) and abs(seen - round(seen)) > UNEVEN
    yield _row(N_("how often each example was seen"), times, _("all equally often"), off=uneven)
    lacking = outcome.labels.keys() - signs.labels.keys()
    labels = _shares(signs.labels)
    yield _row(N_("labels"), labels, _("all labels of the evaluation"), off=bool(lacking))
    single = signs.batch_size == 1
    yield _row(N_("examples in a batch"), _whole(signs.batch_size), _more(1), off=single)
    order = signs.order
    sorted_by = order is not None and abs(order - 1) > SHUFFLED
    yield _row(N_("order (1: shuffled, 0: sorted)"), _decimal(order), _about(1), off=sorted_by)
    rare, cut = signs.unknown, signs.cut
    yield _row(N_("unknown words"), _share(rare), _under(UNKNOWN), off=(rare or 0) >= UNKNOWN)
    yield _row(N_("text that was cut away"), _share(cut), _under(CUT), off=(cut or 0) >= CUT)
    yield _all(N_("texts read from each example"), signs.texts_in_ids, signs.text_columns)
    wide = signs.padding
    yield _row(
        N_("batch width / longest text"),
        _decimal(wide),
        _about(1),
        off=(wide or 0) > WIDE,
    )
    yield _extra(N_("labels of -100"), signs.ignored)


def _outcome(signs: OutcomeSigns, data: DataSigns) -> Iterator[TableRow | None]:
    trained = data.split or "train"
    other = _("other than {name}").format(name=f"`{trained}`")
    yield _row(N_("split"), _named(signs.split), other, off=signs.split == trained)
    yield _row(N_("different examples"), _whole(signs.examples))
    overlap = signs.overlap
    seen = overlap is not None and overlap >= 0.0005
    yield _row(N_("seen in the training too"), _share(overlap), numbers.percent(0), off=seen)
    yield _accuracy(signs)
    if signs.f1 is not None:
        base = signs.f1_baseline
        off = base is not None and signs.f1 <= base
        shown, above = _decimal(signs.f1, 3), _baseline(_decimal(base, 3))
        yield _row(N_("F1 score"), shown, above, off=off)
    few = len(signs.answers) < len(signs.labels)
    yield _row(
        N_("the model's answers"), _shares(signs.answers), _shares(signs.labels) or "", off=few
    )
    yield from _before_and_after(signs)
    yield _said(signs)
    yield from _given(signs)


def _accuracy(signs: OutcomeSigns) -> TableRow:
    """Make a row for the share of right answers beside always giving the most frequent label."""
    share, base = signs.accuracy, signs.baseline
    shown = _share(share)
    if shown is not None and signs.error is not None:
        shown = f"{shown} ± {_share(signs.error)}"
    if shown is not None and signs.rows is not None:
        shown = _("{some} of {all}").format(some=shown, all=numbers.whole(signs.rows))
    off = share is not None and base is not None and share <= base
    return _row(N_("accuracy"), shown, _baseline(_share(base)), off=off)


def _baseline(shown: str | None) -> str:
    return _("above {value}, the baseline").format(value=shown) if shown is not None else ""


def _before_and_after(signs: OutcomeSigns) -> Iterator[TableRow]:
    """Yield the same examples before and after training: learning is a difference, no level."""
    first, last = _share(signs.accuracy_before), _share(signs.accuracy_after)
    both = f"{first} → {last}" if first is not None and last is not None else None
    if both is not None and signs.compared is not None:
        both = _("{some} of {all}").format(some=both, all=numbers.whole(signs.compared))
    still = signs.gain is not None and signs.gain <= 0
    more = _more(signs.accuracy_before) if both is not None else ""
    yield _row(N_("correct answers before → after"), both, more, off=still)
    if signs.loss_before is not None and signs.loss_after is not None:
        before = _decimal(signs.loss_before)
        losses = f"{before} → {_decimal(signs.loss_after)}"
        falls = signs.loss_after < signs.loss_before
        yield _row(N_("same examples: loss before → after"), losses, f"< {before}", off=not falls)


def _said(signs: OutcomeSigns) -> TableRow:
    score = _decimal(signs.said_f1, 3)
    known = [(N_("accuracy"), _share(signs.said_accuracy)), (N_("F1 score"), score)]
    words = [f"{_(name)} {shown}" for name, shown in known if shown is not None]
    off = (signs.said_off or 0) > OFF
    said = enumerate_words(words) if words else None
    return _row(N_("what the script reports"), said, _("as counted by us"), off=off)


def _given(signs: OutcomeSigns) -> Iterator[TableRow | None]:
    """Yield the share of the answers among the values that the script's metric gets."""
    answers = signs.given_answers
    if answers is None:
        return
    yield _row(
        N_("answers that its metric gets"),
        _share(answers),
        numbers.percent(1),
        off=answers < 1,
    )


# Figures in words.


def _named(*names: str | None) -> str | None:
    """Write names as code, those that are known."""
    known = [f"`{name}`" for name in names if name]
    return enumerate_words(known) if known else None


def _all(what: str, some: int | None, of: int | None) -> TableRow:
    """Make a row for a count, where all is usual."""
    off = some is not None and of is not None and (some < of or some == 0)
    return _row(what, _of(some, of), _("all"), off=off)


def _pace(signs: ModelSigns) -> Iterator[TableRow]:
    """Yield rows for backward passes and steps beside the batches."""
    passes, steps = signs.passes, signs.steps
    each, some = "", _("1 per batch or less")
    if passes is not None:
        each = _("{n}: 1 per batch").format(n=numbers.whole(passes))
    apart = None not in (passes, signs.backwards) and passes != signs.backwards
    yield _row(N_("backward passes"), _whole(signs.backwards), each, off=apart)
    # A step may gather the gradients of several batches, but not of a whole training.
    seldom = steps is not None and passes is not None and not passes / GATHERED <= steps <= passes
    yield _row(N_("steps of the optimizer"), _whole(steps), some, off=seldom or steps == 0)


def _of(some: int | None, of: int | None) -> str | None:
    if some is None or of is None:
        return None
    return _("{some} of {all}").format(some=numbers.whole(some), all=numbers.whole(of))


def _share(share: float | None) -> str | None:
    """Write a share in per cent, with the decimals that tell it from none and from all."""
    if share is None:
        return None
    if not math.isfinite(share):
        return NO_NUMBER
    digits = 1
    while digits < 6 and (round(100 * share, digits) in (0, 100)) != (share in (0, 1)):
        digits += 1
    shown = round(100 * share, digits)
    return numbers.percent(share, 0 if shown == int(shown) else digits)


def _shares(counts: Mapping[str, int]) -> str | None:
    """Write counts by label as shares of their sum."""
    of = sum(counts.values())
    if not of:
        return None
    shown = [f"`{label}`: {numbers.percent(n / of)}" for label, n in list(counts.items())[:SHOWN]]
    return enumerate_words([*shown, *(["…"] if len(counts) > SHOWN else [])])


def _decimal(value: float | None, digits: int = 2) -> str | None:
    return numbers.decimal(value, digits) if value is not None else None


def _small(value: float | None) -> str | None:
    """Write three digits that count; a learning rate with its power of ten: `5e-05`."""
    if value is None or not 0 < abs(value) < 0.001:
        return numbers.significant(value, 3) if value is not None else None
    rounded = float(f"{value:.2e}")
    digits = next(n for n in range(3) if float(f"{value:.{n}e}") == rounded)
    return format(numbers.Figure(value), f".{digits}e")


def _whole(value: int | None) -> str | None:
    return numbers.whole(value) if value is not None else None


def _is_no_number(value: float | None, *, broken: bool) -> bool:
    return broken and (value is None or not math.isfinite(value))


def _above(value: float | None, guess: float | None, times: float = 1.0) -> bool:
    """Return whether a loss is not below so many times that of guessing; False if unknown."""
    return value is not None and guess is not None and not value < times * guess


def _more(value: float | None) -> str:
    shown = _share(value) if isinstance(value, float) else _whole(value)
    return f"> {shown}"


def _about(value: float) -> str:
    return f"~ {numbers.whole(value)}"


def _under(share: float) -> str:
    return f"< {_share(share)}"
