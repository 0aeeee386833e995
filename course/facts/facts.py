"""Facts of a training, by what they are of: a loss, an optimizer, a network, an evaluation.

A fact that can't be known is absent. Nothing is judged here: bounds stand in `course/invariants`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isclose, prod
from statistics import fmean, median, pstdev
from typing import Literal

from course.facts import studies
from course.facts.record import (
    ChosenBy,
    Gradient,
    Kin,
    LedgerRecord,
    Load,
    Loss,
    Network,
    Optimizer,
    Passes,
    SaidScore,
    Schedule,
)
from course_probe.reading.figures import is_higher, is_lower

ALIKE = 0.5
"""The cosine from which on two networks are copies: it is next to 0 where they were drawn apart."""
NEARLY = 0.06
"""How far numbers of epochs may be apart: of rows, the last ones of each may be left out."""
EXACT = 1e-4
"""How far, of its size, the square of a length may be off by rounding."""
DECAYS = {"SGD", "AdamW", "Lion"}
"""Optimizers whose steps take a share of each weight away; others scale that as a gradient."""
WITH_LAST = 2
"""Sizes of the batches of one loader: of all, and of the last one."""
VIEWS = 2
"""Passes that a teacher makes at a line beside one step, at most."""
FIRST = 3
"""Steps at the beginning of a training, all of which are looked at."""
DRIVEN_UP = 1.5
"""How many times as high as the first loss the next ones are, where the steps are too large."""
SELDOM = 0.5
"""The share of steps up to which passes that came several times are no teacher's."""
ONCE = 1.5
"""Times that rows are asked up to which each is asked once."""
WHOLE = 1.5
"""Batches of a training up to which all of its rows are passed at once."""
USUAL = 32
"""Rows of a batch that is neither small nor large."""
OF_NETWORK = ("batches", "frozen_share", "drawn_share", "held", "reached", "recurrent")
"""What of a network is known beside the steps that train it."""
FactKind = Literal[
    "loss",
    "optimizer",
    "schedule",
    "network",
    "evaluation",
    "step",
    "answers",
    "load",
    "choice",
    "score",
    "call",
    "text",
]


@dataclass(frozen=True)
class FactSet:
    """What is known of one thing, at a line of the script (0 where that is unknown)."""

    kind: FactKind
    line: int
    values: dict[str, float] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)


def facts_of(record: LedgerRecord) -> tuple[FactSet, ...]:
    """All facts of a record."""
    return (
        *(_of_loss(each, record) for each in record.losses),
        *(_of_optimizer(each, record) for each in record.optimizers),
        *(_of_schedule(each, record) for each in record.schedules),
        *map(_of_load, record.loads),
        *map(_of_choice, record.choices),
        *map(_of_said, record.said),
        *_of_calls(record),
        *(_of_network(each, record) for each in record.networks if each.tensors),
        *_of_evaluations(record),
        *_of_studies(record),
    )


def _of_studies(record: LedgerRecord) -> Iterator[FactSet]:
    kinds = {each.id: each.kind for each in record.networks}
    networks = {each.id: _of_network(each, record).values for each in record.networks}
    losses = {each.line: _of_loss(each, record).values for each in record.losses}
    trained = sum(each.steps > 0 for each in record.optimizers)
    held = [_of_optimizer(each, record).values for each in record.optimizers if each.steps]
    # Of several optimizers, one may hold what no gradient comes to.
    still = max((each.get("zero_share", 0.0) for each in held), default=None)
    others_move = studies.others_move(record.studies)
    for (network, line), values in studies.of_steps(record.studies):
        words = {"class": kinds.get(network, "?")}
        mine = losses.get(line, {})
        gain = values["own_gain"] * record.steps if "own_gain" in values else None
        first = next((e.begin[0] for e in record.losses if e.line == line and e.begin), None)
        leap = None
        if first is not None and "second" in values:
            leap = (values["second"] - first) / values["second_constant"]
        all_asked = sum(each.aside_rows for each in record.passes if each.last)
        beside = _known(optimizers=trained, steps=record.steps, gain_of_all=gain, first=first)
        # Until its end, it may ask for more.
        beside |= _known(leap=leap, rows_asked=all_asked if record.over else None)
        beside |= _known(asked_again=_asked_again(network, record))
        decay = max((e.decay for e in record.optimizers if e.kind in DECAYS), default=0.0)
        beside |= _known(decay=decay, decayed=decay * record.steps)
        each_step = _share(record.backwards, record.steps)
        beside |= _known(gathered=None if each_step is None else round(each_step))
        beside |= _known(closures=sum(each.closures for each in record.optimizers))
        # What the whole training could gain if the same rows were in batches of a usual size.
        rows = (each_step or 0) * networks.get(network, {}).get("rows_a_pass", 0) / USUAL
        beside |= _known(gain_in_parts=None if gain is None else gain * max(1.0, rows))
        beside |= _known(schedules=len(record.schedules))
        # Whether it is an agent's training, the text tells.
        beside |= _known(climbing=sum(each.climbs for each in record.optimizers), agent=0)
        of_network = networks.get(network, {})
        # Of a text, or of a series, each has its own length; batches have one, but for the last.
        counts = of_network.get("row_counts", 1.0)
        beside |= _known(uneven=values.pop("flat", 0.0) > 0 and counts > WITH_LAST)
        beside |= {name: of_network[name] for name in OF_NETWORK if name in of_network}
        for other, moved in others_move[network, line].items():
            if moved > values.get("rows_move", 0.0):
                values["rows_move"] = moved
                beside["batches"] = networks.get(other, {}).get("batches", 0.0)
        beside |= {
            n: mine[n]
            for n in ("loose", "losses", "others", "unregistered", "fall_share", "beside")
            if n in mine
        }
        beside |= _known(ended=_ended(record, line, values.get("guess")), zero_share=still)
        yield FactSet("step", line, {**values, **beside}, words)
    copies = {k.asked: k.trained for k in record.kin if (k.alike or 0.0) >= ALIKE}
    for (network, line), values in studies.of_evaluations(record.studies, copies):
        asked = [p for p in record.passes if (p.network, p.line) == (network, line) and p.aside]
        often = max((each.beside for each in asked), default=None)
        words = {"class": kinds.get(network, "?")}
        is_whole = values.pop("has_end") or all(each.aside == each.stretches for each in asked)
        fresh = next((each.fresh for each in record.networks if each.id == network), None)
        beside = _known(fresh=fresh, over=record.over)
        beside |= _known(backwards=record.backwards)
        beside |= _known(beside=often, rows_asked=sum(p.aside_rows for p in asked))
        beside |= _known(alone=all(_is_alone(each, record) for each in asked))
        others = {p.line for p in record.passes if p.network == network and p.aside}
        beside |= _known(lines=len(others))
        forms = {_axes(p) for p in record.passes if p.network == network and p.reached}
        # One row at a time, without a label, is asked in a game: its first moment is like no other.
        is_game = all(p.aside_rows == p.aside for p in asked) and not values.get("label_rows")
        is_other = is_game or forms.isdisjoint(map(_axes, asked))
        beside |= _known(other_form=is_other if forms else None)
        rows = max((p.seen.last_rows for p in asked if p.seen), default=0)
        beside |= _known(label_part=_share(values.get("label_rows", 0), rows))
        if not is_whole:
            # Rows that follow may have other labels.
            values.pop("label_chance", None)
        yield FactSet("answers", line, {**values, **beside}, words)


def _axes(passes: Passes) -> tuple[int, ...]:
    """How many axes each input of these passes has."""
    return tuple(given.count(",") + (not given.endswith("[]")) for given in passes.given)


def _asked_again(network: int, record: LedgerRecord) -> float:
    """Return the share of the rows asked outside of training that had been asked just before."""
    seen = (p.seen for p in record.passes if p.network == network and p.aside)
    return max((each.again / each.rows for each in seen if each and each.rows), default=0.0)


def _ended(record: LedgerRecord, line: int, guess: float | None) -> float | None:
    """Where the loss of a line has come to in the end, beside that of a constant answer."""
    series = next((each.series for each in record.losses if each.line == line), ())
    last = [value for _at, value in series[-max(3, len(series) // 10) :] if value is not None]
    return median(last) / guess if last and guess and guess > 0 else None


def _known(**values: float | bool | None) -> dict[str, float]:
    return {name: float(value) for name, value in values.items() if value is not None}


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


# Losses.


def _of_loss(loss: Loss, record: LedgerRecord) -> FactSet:
    numbers = [value for _at, value in loss.series if value is not None]
    tail = numbers[-max(10, len(numbers) // 10) :]
    begin = loss.begin[:10]
    by_hand = [
        e for e in record.gradients if not e.optimizer and e.step > 1 and e.moved and e.added
    ]
    is_known = len(begin) >= 10 and len(numbers) >= 40
    noise = (
        pstdev(begin) / len(begin) ** 0.5 + pstdev(tail) / len(tail) ** 0.5 if is_known else None
    )
    values = _known(
        count=loss.count,
        losses=sum(each.count > 1 for each in record.losses),
        optimizers=len(record.optimizers),
        steps=record.steps,
        not_finite=loss.not_finite,
        not_finite_first=loss.first_not_finite if loss.not_finite else None,
        begin=median(begin) if is_known else None,
        end=median(tail) if is_known else None,
        grown=_share(max((*numbers, *loss.begin)), abs(begin[0])) if begin else None,
        fall_in_noise=(median(begin) - median(tail)) / noise if noise else None,
        fall_share=_fall(begin, tail) if is_known else None,
        leaves=loss.leaves,
        loose=loss.loose,
        unregistered=loss.unregistered,
        unstepped=loss.unstepped,
        drawn=loss.drawn,
        others=loss.others,
        ahead=loss.ahead,
        beside=max((each.beside for each in record.passes if each.aside), default=0.0),
        graphs_kept=loss.graphs,
        hand_changes=loss.drifts + loss.hand_moved,
        hand_looks=loss.hand_looks,
        hand_moved=loss.hand_moved if loss.hand_looks else None,
        left_by_hand=median(map(_left_part, by_hand)) if len(by_hand) > 1 else None,
        training_passes=sum(each.reached for each in record.passes if each.training),
    )
    more = ["…"] if loss.loose > len(loss.loose_names) else []
    names = ", ".join([*(f"`{each[:60]}`" for each in loss.loose_names), *more])
    return FactSet("loss", loss.line, values, {"names": names})


def _low(values: Sequence[float]) -> float:
    """Return the value that a quarter of them reach at most."""
    return sorted(values)[len(values) // 4]


def _fall(begin: Sequence[float], end: Sequence[float]) -> float | None:
    """By which part a loss has fallen; batches with a row far off say nothing of the others.

    A loss that the first steps have driven up is set beside the first one, before any step.
    """
    if median(begin) > DRIVEN_UP * begin[0] > 0:
        begin = begin[:1]
    pairs = ((of(begin), of(end)) for of in (median, _low))
    found = [_share(one - other, abs(one)) for one, other in pairs]
    known = [each for each in found if each is not None]
    return max(known) if len(known) == len(found) else None


# Optimizers.


def _of_optimizer(optimizer: Optimizer, record: LedgerRecord) -> FactSet:
    mine = [each for each in record.gradients if each.optimizer == optimizer.id]
    looks = [each for each in mine if each.parameters and each.added]
    heard = [each for each in mine if is_heard(each)]
    rates = [rate for _at, rate in optimizer.rates if rate is not None]
    highest = max(rates, default=None)
    # A compiled step shows how far it went, and no gradient.
    moves = [m for m in map(_relative, looks if heard else mine) if m is not None]
    of = len(looks)
    late = [each for each in looks if each.step > 1]
    values = _known(
        steps=optimizer.steps,
        renewed=optimizer.renewed,
        resumed=optimizer.resumed,
        loads=sum(each.times for each in record.loads),
        renewed_share=_share(optimizer.renewed, optimizer.steps),
        tensors=optimizer.tensors,
        closures=optimizer.closures,
        idle=optimizer.idle,
        idle_share=_share(optimizer.idle, optimizer.steps),
        looks=optimizer.looks,
        gradient_looks=of,
        late_looks=len(late),
        cleared=sum(map(_is_cleared, looks)),
        cleared_share=_share(sum(map(_is_cleared, looks)), of),
        empty_share=_share(sum(map(_is_empty, heard)), len(heard)),
        zero_share=_share(sum(map(_is_zero, mine)), len(mine)),
        first_move=_first_move(mine),
        first_pull=_first_pull(mine, record.losses),
        left_part=median(map(_left_part, late)) if late else None,
        lost_share=_share(sum(map(_is_lost, late)), len(late)),
        losses_a_step=(each_step := _share(record.backwards, record.steps)),
        # As one does whose gradients are to add up to those of one large batch.
        divided=studies.are_divided_by(record.studies, round(each_step or 0)),
        losses=sum(each.count > 1 for each in record.losses),
        optimizers=len(record.optimizers),
        without_share=_share(optimizer.without, optimizer.tensors * optimizer.looks),
        # A later optimizer may hold them.
        loose=max(optimizer.loose, *(each.loose for each in record.losses), 0),
        rate=highest,
        rate_known=len(rates),
        rate_usual_part=_share(median(rates), highest) if rates and highest else None,
        rate_last=rates[-1] if rates else None,
        rate_rising=rates[-10:] == sorted({*rates[-10:]}) if len(rates) > 1 else None,
        schedules=len(record.schedules),
        base=optimizer.base or None,
        decay_of_rate=_share(optimizer.decay, highest or 0.0),
        rate_of_base=_share(highest or 0.0, optimizer.base) if rates else None,
        moves=len(moves),
        no_numbers=sum(each.moved is None for each in mine if not is_heard(each)),
        move=max(moves) if moves else None,
        path=fmean(moves) * optimizer.steps if moves else None,
    )
    return FactSet("optimizer", optimizer.line, values, {"class": optimizer.kind})


def _of_schedule(schedule: Schedule, record: LedgerRecord) -> FactSet:
    series = (each.rates for each in record.optimizers)
    rates = [[rate for _at, rate in each if rate is not None] for each in series]
    known = [each for each in rates if each and max(each) > 0]
    left = [each[-1] / max(each) for each in known]
    batches = max((_batches(each, record) for each in record.networks), default=0.0)
    values = _known(
        calls=schedule.calls,
        steps=schedule.steps,
        length=schedule.length or None,
        ends=schedule.ends,
        calls_a_step=_share(schedule.calls, schedule.steps),
        done=_share(schedule.calls, schedule.length),
        of_steps=_share(schedule.length, schedule.steps) if schedule.length else None,
        rate_left=max(left, default=None),
        rate_lowest=min((min(each) / max(each) for each in known), default=None),
        for_epochs=_is_of_epochs(schedule.length, record),
        of_an_epoch=_share(schedule.length, batches),
    )
    return FactSet("schedule", schedule.line, values, {"class": schedule.kind})


def _is_of_epochs(length: int, record: LedgerRecord) -> bool:
    """Whether a schedule is made for as many calls as a training has epochs, and not batches.

    Each row comes once an epoch, where it is not changed; an evaluation follows each.
    """
    times = [e.passed / e.distinct for e in record.networks if e.held and e.distinct]
    asked = [e.stretches for e in record.passes if e.aside and e.beside < SELDOM]
    is_near = any(isclose(length, each, rel_tol=NEARLY) for each in (*times, *asked))
    return length > 1 and is_near


def _batches(network: Network, record: LedgerRecord) -> float:
    """How many batches all rows of a training are."""
    mine = [each for each in record.passes if each.network == network.id]
    rows = sum(each.reached_rows for each in mine)
    return network.distinct * sum(each.reached for each in mine) / rows if rows else 0.0


def _of_load(load: Load) -> FactSet:
    return FactSet(
        "load",
        load.line,
        _known(times=load.times, own=load.own, unfit=load.unfit),
        {"class": load.kind},
    )


def _of_choice(choice: ChosenBy) -> FactSet:
    """Say of a figure whether more of it is better, as its name tells, and which one is chosen."""
    values, is_known = choice.values, is_higher(choice.name) or is_lower(choice.name)
    worst = choice.highest == is_lower(choice.name) if is_known else None
    ends = (min(values), max(values)) if values else (None, None)
    found = _known(
        worst=worst,
        evaluations=len(values),
        chosen=ends[choice.highest],
        better=ends[not choice.highest],
    )
    return FactSet("choice", 0, found, {"column": choice.name})


def _of_said(said: SaidScore) -> FactSet:
    """Set an accuracy beside the counts that it may be: of all answers, or of rows as a whole.

    Answers are to the next place where more of them are right so. It is a part, or in percent.
    """
    words = {"column": said.name}
    if not said.name:
        return FactSet("score", 0, {"figures": 0.0})
    if said.said is None or not said.counted:
        return FactSet("score", 0, {}, words)
    here, whole, ahead = (*said.counted, 0.0, 0.0)[:3]
    counted, value = max(here, ahead), said.said / 100 if said.said > 1 else said.said
    apart = min(abs(each - value) for each in (counted, whole))
    by_all = min((abs(each - value) for each in said.counted[3:]), default=1.0)
    found = _known(said=value, counted=counted, apart=apart, by_all=by_all, answers=said.answers)
    return FactSet("score", 0, found, words)


def _of_calls(record: LedgerRecord) -> Iterator[FactSet]:
    """Yield what a library was called with, beside how the trainings went."""
    guesses = ((line, found.get("guess")) for (_n, line), found in studies.of_steps(record.studies))
    ends = [end for line, guess in guesses if (end := _ended(record, line, guess)) is not None]
    beside = _known(
        steps=record.steps, optimizers=len(record.optimizers), ended=max(ends, default=None)
    )
    for each in record.calls:
        yield FactSet("call", each.line, {each.name: each.value, **beside})


def _relative(each: Gradient) -> float | None:
    """How far a step went, as a share of the length of what it moved."""
    if each.moved is None or not each.size:
        return None
    return each.moved / each.size


def _first_move(looks: Sequence[Gradient]) -> float | None:
    """How far the first step went that a rate above 0 had: a warm-up may begin with 0."""
    first = [each for each in looks if each.step <= FIRST]
    moved = next((each for each in first if each.moved), first[0] if first else None)
    return None if moved is None else _relative(moved)


def _first_pull(looks: Sequence[Gradient], losses: Sequence[Loss]) -> float:
    """How many times as long as the weights the first gradient is; 0 where that is unknown.

    Nor does it count where the loss is high for its targets, and hangs little on the weights.
    """
    begin = max((abs(each.begin[0]) for each in losses if each.begin), default=inf)
    first = next((each for each in looks if each.norm and each.size), None)
    if first is None or not first.norm or not first.size or first.norm * first.size < begin:
        return 0.0
    return first.norm / first.size


def is_heard(each: Gradient) -> bool:
    """Whether anything is known of the gradients of a step."""
    return any(value is not None for value in (each.norm, each.left, each.added))


def _is_cleared(each: Gradient) -> bool:
    """Whether nothing is there at the step of what the losses since the last one have added."""
    return each.absent == each.parameters or each.norm == 0


def _is_empty(each: Gradient) -> bool:
    """Whether a step finds no gradient, wherever it has gone."""
    return each.absent == each.parameters or not each.norm


def _is_zero(each: Gradient) -> bool:
    """Whether the losses since the last step have sent gradients, and all of them are 0."""
    return each.absent < each.parameters and each.added == each.norm == 0


def _left_part(each: Gradient) -> float:
    """How much of a step's gradient was there before the first loss since the last step.

    What is cleared between two losses shows as a change between them.
    """
    left = max(0.0, (each.left or 0.0) - (each.between or 0.0))
    return left / each.norm if each.norm else 0.0


def _is_lost(each: Gradient) -> bool:
    """Whether all but the last loss's gradient was cleared: lengths of what can't cancel out.

    What gradients are cut down to between losses, or put together of by hand, has other lengths.
    """
    norm, added, lost = each.norm or 0.0, each.added or 0.0, each.between or 0.0
    return lost > 0 and isclose(norm**2 + lost**2, added**2, rel_tol=EXACT)


# Networks.


def _of_network(network: Network, record: LedgerRecord) -> FactSet:
    mine = [each for each in record.passes if each.network == network.id]
    reached = sum(each.reached for each in mine)
    trained = [each for each in mine if each.reached]
    rows = sum(each.reached_rows for each in mine)
    off = sum(each.reached for each in mine if not each.training)
    given = {each.given for each in trained}
    # A text that is written further is no row like those that were trained on.
    fresh = [each.seen for each in mine if each.seen is not None and each.given in given]
    known = [each for each in trained if each.modes]
    idle = sum(each.reached * (1 - max(each.dropping, each.norming) / each.modes) for each in known)
    values = _known(
        held=network.held,
        frozen_share=_share(network.frozen, network.numbers),
        drawn_share=_share(network.drawn, network.numbers),
        rows_asked=sum(each.aside_rows for each in mine),
        reached=reached,
        evaluation_mode=off,
        evaluation_mode_share=_share(off, reached),
        idle_layers_share=_share(idle, sum(e.reached for e in known))
        if network.dropouts + network.norms
        else None,
        layers=network.dropouts + network.norms,
        distinct=network.distinct or None,
        times=_share(network.passed, network.distinct),
        alike_in_batch=_share(network.twins, network.pairs),
        batches=_batches(network, record) if reached else None,
        unfrozen=network.unfrozen,
        stale=network.stale if record.over else None,
        # In training mode, it is not evaluated with.
        recurrent=network.recurrent,
        shared=network.shared,
        carried=network.carried,
        repeated=_share(network.followed_alike, network.followed),
        workers=record.workers,
        losses_a_step=_share(record.backwards, record.steps),
        momentum=network.momentum if any(e.aside and not e.training for e in mine) else None,
        rows_a_pass=_share(rows, reached),
        row_counts=max((each.sizes for each in trained), default=None),
        unseen=max((each.distinct for each in fresh if not each.known), default=None),
    )
    if "unseen" in values and network.distinct:
        values["unseen_share"] = values["unseen"] / network.distinct
    line = trained[0].line if trained else 0
    return FactSet("network", line, values, {"class": network.kind})


# Evaluations.


def _of_evaluations(record: LedgerRecord) -> Iterator[FactSet]:
    networks = {each.id: each for each in record.networks}
    reached = {each.network for each in record.passes if each.reached}
    trained = [p for p in record.passes if p.reached]
    trained_at = {(p.network, p.line, mode) for p in trained for mode in (p.training, None)}
    dropping = studies.drop_in_training(record.studies)
    for each in record.passes:
        network = networks.get(each.network)
        is_trained = record.steps or any(loss.hand_moved for loss in record.losses)
        if network is None or not each.aside or not each.last or not is_trained:
            continue
        kin = [k for k in record.kin if k.asked == network.id and k.alike is not None]
        whole_rows = _names_of(network.id, record)
        # Who compares the two asks both of the same rows.
        asked_trained = any(
            other.aside and _rows_of(other) == _rows_of(each)
            for k in kin
            for other in record.passes
            if other.network == k.trained
        )
        # A network that is put together of trained parts is asked of other rows in their place.
        copies = {k.asked for k in record.kin}
        whole = {p.network for p in record.passes if p.given == each.given} - reached - copies
        # One of many that are trained alike, as for folds, may be the one that learns all rows; and
        # who goes on with a network that has another head holds rows out for that one.
        twins = {
            p.network
            for p in record.passes
            if p.given == each.given and p.network in networks
            if networks[p.network].kind == network.kind
        }
        # What was answered before the training began says nothing of its rows.
        others = [
            p
            for p in record.passes
            if p.aside and p.last and p.seen and p.network in {each.network, *whole, *twins}
            # A part of what is trained on, as a text that is written further, is no row of its own
            # where whole rows are passed beside it.
            if not (p.line == each.line and each.names in whole_rows and p.names not in whole_rows)
        ]
        # With gradients it is no evaluation yet, and a script may compare the two modes.
        is_sure = not each.grad and not any(_is_same_rows(each, p) for p in record.passes)
        copied = {k.trained for k in kin if (k.alike or 0.0) >= ALIKE}
        taught = _is_teacher(each, trained, copied)
        is_sure |= taught
        modes, at = each.modes if is_sure else 0, (each.network, each.line)
        likeness = max((abs(k.alike or 0.0) * k.numbers**0.5 for k in kin), default=None)
        values = _known(
            beside=each.beside,
            taught=taught,
            asked_first=_is_asked_first(each, trained, copied, networks),
            alone=_is_alone(each, record),
            # By its text it may turn out that nobody does; a frozen part of a step is none.
            used=not (each.grad and (*at, each.training if each.graphs else None) in trained_at),
            # By its text as well: who only asks what was learned holds nothing out.
            claimed=not _is_kept_for_others(each, trained, copied, record),
            told=each.told,
            optimizers=sum(o.steps > 0 for o in record.optimizers),
            first=each.first,
            graphs=each.graphs,
            training=each.training,
            rows_asked=each.aside_rows,
            held=network.held,
            carried=network.carried,
            reached=network.id in reached,
            dropping_share=_share(each.dropping, modes) if network.dropouts else None,
            # By its text it may turn out that the training gives another share than this.
            dropping_by_function=dropping.get(each.network)
            if is_sure and each.training and not network.dropouts
            else None,
            norming_share=_share(each.norming, modes) if network.norms else None,
            alike=None if asked_trained else likeness,
            # As chance has made it, and never changed since.
            copied=None if asked_trained or not kin else bool(copied),
            drawn_share=_share(network.drawn, network.numbers) if record.over else None,
            still=network.still if record.over else None,
            learned=any(_is_teacher(each, trained, {k.trained}) for k in kin),
            steps=record.steps,
            alike_numbers=max((k.numbers for k in kin), default=None),
            **_of_rows(each, network),
        )
        if others:
            # By the first evaluations, not all rows of a training may have come.
            rows = sum(p.seen.last_rows for p in others if p.seen is not None)
            known = sum(p.seen.last_known for p in others if p.seen is not None)
            values |= _known(all_known_share=_share(known, rows))
            # Of several networks, each may know some.
            is_one = rows and len(reached) == 1
            values |= _known(**_of_seldom(each, known / rows, network)) if is_one else {}
        if not each.training:
            values |= _of_copy(kin, networks, record)
        if "trained_batches" in values:
            # Of all rows at once, a mask may hold some out of the loss.
            is_counted = studies.counted_rows(record.studies, network.id) == {network.distinct}
            is_whole = values["trained_batches"] < WHOLE and not is_counted
            # Of each row, it may hold out some of the numbers.
            is_part = studies.is_scored_in_part(record.studies, {network.id, *copied})
            values["held_by_mask"] = float(is_whole or is_part)
        yield FactSet("evaluation", each.line, values, {"class": network.kind})


def _is_teacher(each: Passes, trained: Sequence[Passes], alike: Collection[int]) -> bool:
    """Whether a network that has learned before answers the rows of another one, once a step.

    It may be a copy, from a file, of those that are `alike`.
    """
    known = {each.network, *alike}
    mine = [p.last for p in trained if p.network in known]
    others = [p for p in trained if p.network not in known and p.given == each.given]
    is_before = bool(mine) and max(mine) < each.first and each.aside == each.stretches
    return is_before and any(p.first <= each.first <= each.last <= p.last for p in others)


def _is_kept_for_others(
    each: Passes, trained: Sequence[Passes], alike: Collection[int], record: LedgerRecord
) -> bool:
    """Whether a network has answered rows once, ahead of the training of another one on such rows.

    As a teacher does whose answers are kept: nothing else is done with them then.
    """
    known = {each.network, *alike}
    is_ahead = any(
        p.network not in known and p.given == each.given and p.first >= each.last for p in trained
    )
    is_once = each.stretches == 1 and is_ahead
    return is_once and studies.only_answered(record.studies, each.network, each.line)


def _is_asked_first(
    each: Passes,
    trained: Sequence[Passes],
    copied: Collection[int],
    networks: Mapping[int, Network],
) -> bool:
    """Whether a copy of one that has learned answers rows before another is trained on them.

    Each once: several answers to a row tell how sure they are.
    """
    mine = [p.last for p in trained if p.network in copied]
    others = [p for p in trained if p.network not in copied and p.given == each.given]
    return (bool(mine) and max(mine) < each.first) and any(
        p.first >= each.last and each.aside_rows <= ONCE * networks[p.network].distinct
        for p in others
        if p.network in networks
    )


def _rows_of(each: Passes) -> float | None:
    """How many rows a network was asked of at a time, as in one evaluation."""
    return each.seen.last_rows if each.seen is not None else None


def _is_same_rows(one: Passes, other: Passes) -> bool:
    """Whether a network answers as many rows in both modes, at the same time."""
    if not one.training or other.training or one.seen is None or other.seen is None:
        return False
    at, rows = (one.network, one.last), one.seen.last_rows
    return (other.network, other.last) == at and other.seen.last_rows == rows


def _names_of(network: int, record: LedgerRecord) -> set[tuple[str, ...]]:
    """Return the names of the inputs that a network is trained with."""
    return {p.names for p in record.passes if p.network == network and p.reached}


def _of_seldom(each: Passes, share: float, network: Network) -> dict[str, float | None]:
    """How many rows that are not known there were to be, and by how much there are too few.

    Of rows of which some come often, and others once, that is told by those that come once. Rows of
    a few numbers, as of one user, are known by design.
    """
    if each.seen is None:
        return {}
    wide = max((_places(one) for one in each.given), default=0)
    awaited = network.rarest * each.seen.distinct
    missing = (awaited - (1 - share) * each.seen.distinct) / awaited**0.5 if awaited else None
    return {"wide": wide, "unknown_awaited": awaited, "unknown_missing": missing}


def _places(given: str) -> int:
    """How many places a row of an input has: `int64 [9]`."""
    return prod(
        int(each) for each in given.partition("[")[2].rstrip("]").split(",") if each.strip()
    )


def _of_copy(
    kin: Sequence[Kin], networks: dict[int, Network], record: LedgerRecord
) -> dict[str, float]:
    """Return the facts of a network that is a copy, or an average, of the trained one."""
    if len(kin) != 1 or (kin[0].alike or 0.0) < ALIKE or kin[0].trained not in networks:
        return {}
    trained, rows = networks[kin[0].trained], kin[0].rows
    reached = {p.network for p in record.passes if p.reached}
    of_kind = [n for n in reached if n in networks and networks[n].kind == trained.kind]
    values = _known(copies_unset=kin[0].unset)
    if rows and len(of_kind) == 1:
        share = kin[0].known / rows
        values |= _known(known=kin[0].known, rows=rows, all_known_share=share)
        values |= _known(**_chances(share, trained))
    return values


def _is_alone(each: Passes, record: LedgerRecord) -> bool:
    """Whether these passes are none that stand beside each step from now on, as a teacher's do.

    Such come one at a time, or two for two views of the same rows; else steps without them tell.
    """
    is_seldom = each.stretches > 1 and each.beside < SELDOM
    return is_seldom or each.aside > VIEWS * each.stretches or record.backwards - each.last > 1


def _of_rows(each: Passes, network: Network) -> dict[str, float | None]:
    """How many rows were trained on before, and how many would be by chance, as duplicates are.

    Two rows of one training batch are equal as often as one trained and one held-out row are.
    """
    seen = each.seen
    if seen is None or not seen.rows or not network.rows:
        return {}
    return {
        **_chances(seen.known / seen.rows, network),
        "rows": float(seen.rows),
        "known": float(seen.known),
        "known_share": seen.known / seen.rows,
        "of_trained": seen.last_known / network.distinct if network.distinct else None,
        "times": _share(network.passed, network.distinct),
        "again_share": seen.again / seen.rows,
        "adapted": float(seen.adapted),
        "adapted_share": _share(seen.adapted, seen.rows - seen.known),
        "earlier": float(seen.earlier),
        "earlier_share": seen.earlier / seen.rows,
        "batches_unmixed": float(seen.all - seen.mixed),
        "mixed_known": float(seen.mixed_known),
        "mixed_new": float(seen.mixed_rows - seen.mixed_known),
        "last_share": _share(seen.last_known, seen.last_rows),
        "mixed_share": seen.mixed_known / seen.mixed_rows if seen.mixed_rows else None,
    }


def _chances(share: float, network: Network) -> dict[str, float | None]:
    """Compute the figures that tell whether such a share of known rows may be by chance."""
    chance = network.twins / network.pairs if network.pairs else None
    # Of a batch of n rows there are n - 1 pairs a row, halved.
    mean = 2 * network.pairs / network.rows + 1 if network.rows else 0.0
    return {
        "trained_batches": network.distinct / mean if mean else None,
        "chance": min(1.0, chance * network.distinct) if chance is not None else None,
        "twins_expected": _twins_expected(share, network),
    }


def _twins_expected(share: float, network: Network) -> float | None:
    """How many equal pairs training batches would hold, if that share were known by chance."""
    return share / network.distinct * network.pairs if network.distinct else None
