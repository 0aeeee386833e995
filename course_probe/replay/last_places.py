"""Whether the one place that is read of a recurrent layer has seen the text.

At the last place, the half that goes backwards has seen a single word. Behind padding, a text may
have been forgotten. Both is measured: other words there are to move what is read.
"""

import sys
from collections.abc import Iterator
from typing import Any

from course_probe.replay.tape import OperationTape
from course_probe.replay.whatif import TINY, Padding, WhatIf

RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
NOTHING = 1e-6
"""What of a move is no move."""
HARDLY = 0.1
"""What of the move of full rows is next to none."""


def last_places(whatif: WhatIf, padding: Padding | None) -> dict[str, Any]:
    """Find what of a text is not seen where a network with a recurrent layer reads it."""
    kind = sys.modules["torch"].nn.RNNBase
    if not any(isinstance(each, kind) for each in whatif.network.modules()):
        return {}
    behind = None if padding is None else _unseen_behind(whatif, padding)
    return {"half_unseen": _half_unseen(whatif), "unseen_behind": behind}


def _half_unseen(whatif: WhatIf) -> bool:
    """Return whether half of what is read of a recurrent layer has seen one end of the text only.

    That is, whether it stays as it is when all other words are those of other rows.
    """
    given, (tape, _outputs) = whatif.main(), whatif.heard()
    before = [*_reads(tape)]
    if not before or given is None:
        return False
    for axis, end in ((axis, end) for axis in (0, 1) for end in (0, -1)):
        changed = given.roll(1, 1 - axis)
        there = (slice(None),) * axis + (end,)
        changed[there] = given[there]
        after = [*_reads(whatif.heard({id(given): changed})[0])]
        halves = [
            [float(half.abs().max()) for half in (two - one).chunk(2, -1)]
            for one, two in zip(before, after, strict=True)
        ]
        # The other half has seen more.
        for one, other in ((0, 1), (1, 0)):
            if all(each[one] <= NOTHING * each[other] for each in halves) and halves[0][other]:
                return True
    return False


def _reads(tape: OperationTape) -> Iterator[Any]:
    """Yield what is taken of the places of layers that go both ways, where it is one of each row.

    Nothing where more of a layer is used.
    """
    for each in tape.operations:
        if each.name not in RECURRENT or True not in each.arguments[-2:-1]:
            continue
        outputs, *states = each.made
        used = [one for one in tape.operations if set(each.made).intersection(one.given)]
        axes, width = tape.values[outputs].ndim, tape.values[outputs].shape[-1]
        reads = [tape.values[one.made[0]] for one in used if one.made]
        are_places = all(one.name in ("__getitem__", "select") for one in used)
        if not are_places or any(set(states).intersection(one.given) for one in used):
            continue
        if all((one.ndim, one.shape[-1]) == (axes - 1, width) for one in reads):
            yield from (one.detach().double() for one in reads)


def _unseen_behind(whatif: WhatIf, padding: Padding) -> float | None:
    """Compute the share of rows whose words hardly move their answer, for the padding after them.

    Beside those with the least of it, and one of these without any: other words there have to move
    theirs.
    """
    torch = sys.modules["torch"]
    ids, places = padding.ids, padding.places
    counts = places.sum(1)
    full = counts == counts.min()
    if not bool(counts.any()) or (bool(full.all()) and not bool(counts[0])):
        return None
    changed = torch.where(places | places.roll(1, 0), ids, ids.roll(1, 0))
    before, after = whatif.give({}), whatif.give({id(ids): changed})
    row = int(full.nonzero()[0])
    kept = (~places[row]).nonzero()[:, 0]
    alone = whatif.of_row(padding, row, kept)
    others = {**alone, id(ids): alone[id(ids)].roll(1, 1)}
    bare = zip(whatif.give(alone), whatif.give(others), strict=True)
    for one, two, (three, four) in zip(before, after, bare, strict=True):
        if one.ndim and len(one) == len(ids) and one.shape == two.shape:
            moves = (two - one).reshape(len(one), -1).abs().amax(1)
            usual = max(float(moves[full].max()), float((four - three).abs().max()))
            if usual > TINY:
                return float((moves < HARDLY * usual).double().mean())
    return None
