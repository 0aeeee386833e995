"""The evaluations of a script by the passes of its networks, and the rows that they were given."""

import sys
from collections import deque
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any

from course_probe.vital_signs.data.examples import fingerprints
from course_probe.vital_signs.data.scaling import scaled_together
from course_probe.vital_signs.evaluation.held_out_rows import MOSTLY, HeldOutRows

ROOM = 40_000
"""Rows of the training that are kept."""
MOST, LATEST = 12, 4
"""Evaluations whose rows are kept, the first ones and the last ones."""
LARGEST = 4096
"""Rows of one evaluation that are kept."""
FEWEST = 20
"""Rows of an evaluation that count: of a few anybody may take what is at hand."""
MOSTLY_NEW = 0.5
"""Up to this share of rows that were trained on, an evaluation is one of new rows."""
REPEATED = 0.67
"""A share of different rows up to this says that they were asked several times."""
FEWEST_COLUMNS = 3
"""Columns of numbers with a fraction that make it no chance that two rows are equal."""


@dataclass(slots=True)
class Stretch:
    """Passes of one kind since the last `backward`: so many, with `dropouts` and `norms` at work.

    They are in `training` mode or not, and keep their `graph` or not. Of batch norm those count
    that take their statistics from the batch; `always` are those with a dropout that no mode ends.
    `rows` are a few numbers of each row of the inputs; `sources` are those of the data that they
    come from, `networks` the identities of what was called, and `given` with how many arguments.
    What `is_of_step` came with the step before, too, from a network that is not trained: it makes
    targets, as a teacher does, and may well be meant to be in training mode.
    """

    training: bool
    graph: bool
    passes: int = 0
    dropouts: int = 0
    norms: int = 0
    always: int = 0
    rows: list[Any] = field(default_factory=list)
    kept: int = 0
    sources: dict[str, list[Any]] = field(default_factory=dict)
    networks: set[int] = field(default_factory=set)
    given: set[int] = field(default_factory=set)
    is_of_step: bool = False


@dataclass(frozen=True)
class _Evaluation:
    """A stretch that evaluated, after so many batches `before`, of a loader or otherwise.

    The training under way had `begun` with one of these batches, of which not all are kept where
    it `is_cut`. What the network had learned before was left to it from batch `since` on.
    """

    stretch: Stretch
    before: int
    by_loader: bool
    begun: int
    is_cut: bool
    since: int


class Evaluations:
    """What was trained on, and what was evaluated on, in their order; so many `passes` did."""

    def __init__(self) -> None:
        self._trained: list[Any] = []
        self._kept = 0
        self._begun = self._since = 0
        self._known: list[_Evaluation] = []
        self._late: deque[_Evaluation] = deque(maxlen=LATEST)
        self.passes = self._graphs = 0

    @property
    def is_full(self) -> bool:
        """Whether no more rows of the training are kept."""
        return self._kept >= ROOM

    @property
    def are_by_loaders(self) -> bool:
        """Whether all evaluations that are known were of what loaders give."""
        return all(each.by_loader for each in (*self._known, *self._late))

    def are_new(self, rows: Any) -> bool:
        """Whether rows are as those of the training, and next to none of them was in it."""
        if self.is_full or not self._trained or len(rows) < FEWEST:
            return False
        like = self._trained[-1]
        if (rows.dtype, rows.shape[1:]) != (like.dtype, like.shape[1:]):
            return False
        share = overlap(prints_of([rows]), set(prints_of(self._trained)))
        return share is not None and share < 1 - MOSTLY

    def wants_rows(self, stretch: Stretch, inputs: Any) -> bool:
        """Whether the rows of the next pass of a stretch are to be kept, by what it is given."""
        if stretch.graph and self.is_full:
            return False
        is_wanted = len(self._known) < MOST or not (stretch.graph or len(inputs) < FEWEST)
        return stretch.kept < (ROOM if stretch.graph else LARGEST) and is_wanted

    def add_training(self, stretch: Stretch) -> None:
        """Take in passes that a loss has gone backward from."""
        self._trained += stretch.rows
        self._kept += stretch.kept

    def begin_training(self, *, goes_on: bool) -> None:
        """Another optimizer takes its first step: what was trained before is over.

        Or it `goes_on` with a network as the training before has left it.
        """
        self._begun = len(self._trained)
        if not goes_on:
            self._since = self._begun

    def add(self, stretch: Stretch, *, by_loader: bool) -> None:
        """Take in passes that evaluate."""
        self.passes += stretch.passes
        self._graphs += stretch.passes * stretch.graph
        if stretch.rows:
            before = len(self._trained)
            known = self._known if len(self._known) < MOST else self._late
            begun, since = self._begun, self._since
            known.append(_Evaluation(stretch, before, by_loader, begun, self.is_full, since))

    def latest_figures(self) -> dict[str, float]:
        """How the evaluation that is just over was set up, if its rows were new.

        The rows are looked at only where something is odd.
        """
        found: dict[str, float] = {
            "evaluation_passes": self.passes,
            "evaluation_graphs": self._graphs,
        }
        if not self._known:
            return found
        before = self._known[-1].before
        latest = [each for each in self._known if each.before == before]
        held = [rows for each in latest for rows in each.stretch.rows]
        together = scaled_together(self._trained, held)
        if together:
            found["scaled_together"] = together
        elif not any(map(_wants_a_look, latest)):
            return found
        trained = [prints_of([rows]) for rows in self._trained]
        seen = set[int]().union(*trained[:before])
        shares, repeats, new = [], [], []
        for each in latest:
            prints = prints_of(each.stretch.rows)
            share = overlap(prints, seen)
            if share is not None and share <= MOSTLY_NEW:
                shares.append(share)
                repeats.append(len(prints) / len(set(prints)))
                new.append(each.stretch)
        if new:
            found |= {"evaluation_overlap": min(shares), "evaluation_repeats": max(repeats)}
        return found | _modes(new)

    def _add_held_out(
        self, held_out: HeldOutRows, each: _Evaluation, trained: list[list[int]]
    ) -> None:
        """Take in an evaluation of a single network, beside the `trained` prints of batches."""
        if each.stretch.sources and len(each.stretch.networks) == 1:
            under_way = set[int]().union(*trained[each.begun : each.before])
            learned = set[int]().union(*trained[each.since : each.begun])
            held_out.add(each.stretch.sources, under_way, learned, is_cut=each.is_cut)
            held_out.add_sizes(each.stretch.sources, self._trained[each.begun : each.before])

    def figures(self, unused: int) -> dict[str, float]:
        """What is known of them; `unused` data sets of loaders were never looked at.

        Of several evaluations the one with the least overlap counts: another may well be on the
        training data, beside it. How a network was set up counts where the rows were new to it.
        """
        if not self.passes:
            return {}
        found: dict[str, float] = {
            "evaluation_passes": self.passes,
            "evaluation_graphs": self._graphs,
        }
        shares, repeats, new, shared = [], [], [], []
        trained = [prints_of([rows]) for rows in self._trained]
        seen, upto = set[int](), 0
        held_out = HeldOutRows()
        for each in (*self._known, *self._late):
            self._add_held_out(held_out, each, trained)
        for each in self._known:
            seen.update(*trained[upto : each.before])
            upto = each.before
            prints = prints_of(each.stretch.rows)
            share = overlap(prints, seen)
            if share is None:
                continue
            shares.append(share)
            repeats.append(len(prints) / len(set(prints)))
            # A network with a state is often given what came before, to begin with.
            begins = len(each.stretch.given) > 1
            shared.append(0.0 if begins else _shared(each.stretch.rows, prints, seen))
            if share <= MOSTLY_NEW:
                new.append(each.stretch)
        if shares:
            by_loader = all(each.by_loader for each in self._known)
            found["evaluation_overlap"] = min(shares)
            found["evaluation_repeats"] = max(repeats)
            found["evaluation_shared"] = min(shared)
            found["held_out_unused"] = unused if by_loader else 0
            kept = (*self._known, *self._late)
            held = [rows for each in kept for rows in each.stretch.rows]
            together = [scaled_together(self._trained, held), self._scaled_first(trained)]
            if any(each is not None for each in together):
                found["scaled_together"] = max(each or 0.0 for each in together)
        found |= {**held_out.figures(), "dropout_alone": self._dropout_alone(trained)}
        return found | _modes(new)

    def _scaled_first(self, batches: list[list[int]]) -> float | None:
        """The columns scaled together of the first training, and the rows evaluated first.

        Where the parts change, of folds say, these alone tell; not if they are of that training.
        """
        first = self._known[0]
        end = next((e.begun for e in self._known if e.begun > first.begun), len(self._trained))
        share = overlap(prints_of(first.stretch.rows), set[int]().union(*batches[:end]))
        if share is None or share > 1 - MOSTLY:
            return None
        return scaled_together(self._trained[:end], first.stretch.rows)

    def _dropout_alone(self, batches: list[list[int]]) -> float:
        """How many of the evaluations had dropout at work, and their rows in no other way.

        Rows come once, and are never trained on: of several answers to one, an average may be
        wanted, and what is trained on later is an experience that was made for that. `batches` are
        the prints of all rows that were trained on.
        """
        trained = set[int]().union(*batches)
        if self.is_full and 2 * len(trained) > self._kept:
            return 0.0
        kept = [each.stretch for each in (*self._known, *self._late)]
        prints = [(each, prints_of(each.rows)) for each in kept]
        settled = {p for stretch, rows in prints if not stretch.training for p in rows}
        return float(
            sum(
                stretch.training
                and not (stretch.graph or stretch.is_of_step)
                and stretch.dropouts == stretch.passes
                and (overlap(rows, trained) or 0.0) <= MOSTLY_NEW
                and (overlap(rows, settled) or 0.0) <= MOSTLY_NEW
                and len(set(rows)) > REPEATED * len(rows)
                for stretch, rows in prints
                if len(rows) >= FEWEST
            )
        )


def _wants_a_look(each: _Evaluation) -> bool:
    """Whether an evaluation is set up as none should be."""
    stretch = each.stretch
    return bool(stretch.training or stretch.graph or stretch.always)


def _modes(new: list[Stretch]) -> dict[str, float]:
    """How networks were set up in evaluations of new rows, as shares of the passes."""
    new = [each for each in new if not each.is_of_step]
    passes = sum(each.passes for each in new)
    if not passes:
        return {}
    return {
        "evaluation_in_training_mode": sum(e.passes * e.training for e in new) / passes,
        "evaluation_dropout_always": sum(e.always for e in new) / passes,
        "evaluation_dropout": sum(e.dropouts * e.training for e in new) / passes,
        "evaluation_batch_norm": sum(e.norms * e.training for e in new) / passes,
    }


def overlap(evaluated: list[int], trained: Set[int]) -> float | None:
    """The share of an evaluation's rows that are among others; None for too few of them to tell."""
    if len(evaluated) < FEWEST:
        return None
    return sum(each in trained for each in evaluated) / len(evaluated)


def _shared(batches: list[Any], prints: list[int], seen: set[int]) -> float:
    """The share of an evaluation's rows that were trained on, where it is meant to have others.

    It is 0 where all that was trained on is in it, or where equal rows may come by chance.
    """
    torch = sys.modules["torch"]
    rows = batches[0]
    different = set(prints)
    if rows.dtype != torch.int32 or rows.shape[1] < FEWEST_COLUMNS:
        return 0.0
    is_whole = rows.view(torch.float32).frac() == 0
    if float(is_whole.float().mean()) > 0.5 or len(different) < 0.98 * len(prints):
        return 0.0
    both = len(different & seen)
    if both >= 0.5 * len(seen) or not any(map(seen.intersection, _mixed_with(batches, seen))):
        return 0.0
    return both / len(different)


def _mixed_with(batches: list[Any], seen: set[int]) -> Iterator[set[int]]:
    """The rows of each batch that has new rows, too: one that has none may be asked on purpose."""
    for rows in batches:
        prints = set(prints_of([rows]))
        if prints - seen:
            yield prints


def prints_of(batches: list[Any]) -> list[int]:
    """A number for each row, the same for equal rows."""
    return [each for rows in batches for each in fingerprints(rows, None).tolist()]
