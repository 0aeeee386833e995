"""Rows of a pass by fingerprints: which were trained on, and which were only asked about.

A row is what a network is given of one example: at most 256 spread places of each input, with the
padding left out. An ordinary step only copies these places, where they are; the integer hash is
computed later, of many passes at once, and read at a step that is looked at anyway. Rows that are
augmented do not match, and duplicates do.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PLACES = 256
"""Places of a row of one input that are hashed."""
BAG = 64
"""Places of a row of those that follow one another."""
INPUTS = 6
"""Inputs of a pass that make up its rows."""
MOST_BYTES = 2**23
"""Bytes of copied places that wait; beyond them they are hashed without being read."""
MOST_HASHES = 2**18
"""Fingerprints that are kept; beyond them only those of every second one, and so on."""
AGAIN = 2
"""How many times all rows have to have come again, and no other, until few are looked at."""
SELDOM = 16
"""One pass in so many is looked at then."""
MOST_BEFORE = 16
"""Trainings that went before, of which the rows are compared."""
MASK = "attention_mask"
"""What Transformers call the mask of what is no padding, in their calls."""

Sample = list[tuple[Any, Any]]
"""The places of each input of one pass, with those of its mask."""


def inputs_of(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the tensors that a network is given, of one number of rows, by name or place."""
    tensor = sys.modules["torch"].Tensor
    if len(arguments) == 1 and not named and type(arguments[0]) is tensor:
        return [("0", arguments[0])] if _has_rows(arguments[0]) else []
    columns = _columns(arguments, named)
    found = [(n, v) for n, v in columns if isinstance(v, tensor) and _has_rows(v)]
    if len(found) > 1 and (flat := _flat(found)):
        return flat
    return [each for each in found if each[1].shape[0] == found[0][1].shape[0]][:INPUTS]


def _flat(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return where each row begins, and the ids of all of them one after another, if that is given.

    As an `EmbeddingBag` takes them. Only where numbers are read at no cost.
    """
    rows, ids = (f(found, key=lambda each: len(each[1])) for f in (min, max))
    begin = rows[1]
    if len(begin) == len(ids[1]) or any(
        v.ndim > 1 or v.is_floating_point() for _, v in (rows, ids)
    ):
        return []
    if begin.device.type != "cpu" or not len(begin) or begin[0] or (begin.diff() < 0).any():
        return []
    return [rows, ids] if begin[-1] <= len(ids[1]) else []


def _has_rows(value: Any) -> bool:
    """Whether the rows of a tensor can be read: there are none on the device `meta`."""
    return value.ndim > 0 and value.layout is sys.modules["torch"].strided and not value.is_meta


def _columns(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for place, value in enumerate(arguments):
        yield from _parts(str(place), value)
    for name, value in named.items():
        yield from _parts(name, value)


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value, or what a batch of columns holds."""
    if isinstance(value, dict):
        yield from ((str(key), each) for key, each in value.items())
    elif type(value) in (list, tuple):
        yield from ((f"{name}.{place}", each) for place, each in enumerate(value[:INPUTS]))
    else:
        yield name, value


def sample_of(inputs: list[tuple[str, Any]]) -> Sample:
    """Copy the places of each input that its rows are known by; nothing is waited for."""
    if len(inputs) == 1:
        ((_name, value),) = inputs
        return [] if value.is_complex() else [(_places(value), None)]
    if len(inputs) > 1 and len(inputs[0][1]) != len(inputs[1][1]):
        return [_bags(*(value for _name, value in inputs))]
    mask = next((each for name, each in inputs if name == MASK), None)
    found: Sample = []
    for name, value in inputs:
        if name == MASK or value.is_complex():
            continue
        is_masked = mask is not None and value.shape == mask.shape
        found.append((_places(value), _places(mask) if is_masked else None))
    return found


def _bags(begin: Any, ids: Any) -> tuple[Any, Any]:
    """Lay rows that follow one another beside each other, with a mask of what is theirs."""
    torch = sys.modules["torch"]
    ends = torch.cat([begin[1:], begin.new_tensor([len(ids)])])
    places = begin[:, None] + torch.arange(BAG)
    return ids[places.clamp(max=len(ids) - 1)], places < ends[:, None]


def _places(value: Any) -> Any:
    value = value.detach()
    if value.ndim != 2:
        value = value.reshape(value.shape[0], -1)
    width = value.shape[1]
    if width > PLACES:
        # Texts are of any length, and begin alike: their first places are one and the same.
        step = -(-width // PLACES) if value.is_floating_point() else 1
        value = value[:, ::step][:, :PLACES]
    return value.clone()


def size_of(sample: Sample) -> int:
    """How many bytes a sample takes."""
    return sum(value.numel() * value.element_size() for value, _mask in sample)


class Hasher:
    """Makes whole numbers of samples: the same of the same row, in whatever batch it is."""

    def __init__(self) -> None:
        self._weights: dict[tuple[Any, int], Any] = {}

    def hashes(self, samples: list[Sample]) -> Any:
        """Compute the fingerprints of all rows of samples of one shape, on one device."""
        torch = sys.modules["torch"]
        total: Any = 0
        for place in range(len(samples[0])):
            values = torch.cat([sample[place][0] for sample in samples])
            masks = [sample[place][1] for sample in samples]
            if values.is_floating_point():
                values = values.float().contiguous().view(torch.int32)
            values = values.to(torch.int64)
            if masks[0] is not None:
                values = values * torch.cat(masks).to(torch.int64)
            weights = self._weights_of(torch, values.device, place)
            total = total + (values * weights[: values.shape[1]]).sum(1)
        # The lowest bits of such sums are those of the lowest bits alone.
        total = total ^ (total >> 32)
        total = total * _ODD
        return total ^ (total >> 29)

    def _weights_of(self, torch: Any, device: Any, place: int) -> Any:
        key = (device, place)
        if key not in self._weights:
            numbers = [_mixed(place * PLACES + column + 1) for column in range(PLACES)]
            self._weights[key] = torch.tensor(numbers, dtype=torch.int64, device=device)
        return self._weights[key]


_ODD = 0x1B873593CC9E2D51


def _mixed(number: int) -> int:
    """Mix a number into an odd, signed one of 64 bits: splitmix64, so no random number is taken."""
    mixed = (number * 0x9E3779B97F4A7C15) % 2**64
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) % 2**64
    mixed = (mixed ^ (mixed >> 31)) | 1
    return mixed - 2**64 if mixed >= 2**63 else mixed


class SeenRows:
    """Rows that were passed and that no loss of this pass reached: an evaluation, or a teacher.

    `known` were trained on before; of some batches `all` rows were, others are `mixed`. Of the last
    stretch there are `last_rows`, of which `last_known` were. Those that are known only from an
    `earlier` training, which this one goes on with, are counted by themselves.
    """

    def __init__(self) -> None:
        self.rows = self.known = self.again = 0
        self.last_rows = self.last_known = 0
        self.all = self.mixed = self.mixed_known = self.mixed_rows = 0
        self.earlier = self.adapted = 0
        self.distinct: set[int] = set()
        self.stretch = -1
        self._within: set[int] = set()

    def add(
        self,
        hashes: list[int],
        trained: Mapping[int, int],
        stretch: int,
        earlier: Sequence[Mapping[int, int]] = (),
    ) -> None:
        """Take in the rows of one pass; within one `stretch` a row comes `again` by chance only."""
        if stretch != self.stretch:
            self.stretch, self._within = stretch, set()
            self.last_rows = self.last_known = 0
        known = sum(each in trained for each in hashes)
        fresh = set(hashes) - self._within
        self.again += len(hashes) - len(fresh)
        self._within |= fresh
        self.rows += len(hashes)
        self.known += known
        if earlier:
            unknown = (each for each in hashes if each not in trained)
            self.earlier += sum(any(one in each for each in earlier) for one in unknown)
        self.last_rows += len(hashes)
        self.last_known += known
        self.distinct.update(hashes)
        self.all += known == len(hashes)
        if 0 < known < len(hashes):
            self.mixed += 1
            self.mixed_known += known
            self.mixed_rows += len(hashes)


class TrainedRows:
    """The rows of one network that a loss reached, with how often each of them was.

    `pairs` are pairs of rows of one batch, `twins` those of them that are equal. Once all rows
    have come again, and no new one among them, only one pass in `every` is looked at: `passed`
    counts the rows of all of them. Of the batches that came one after another, `alike` had the same
    rows as the one before.
    """

    def __init__(self) -> None:
        self.rows = self.pairs = self.twins = self.passed = 0
        self.batches = self.alike = self._last = 0
        self.every = 1
        self.times: dict[int, int] = {}
        self._known = self._turn = 0

    def is_looked_at(self) -> bool:
        """Whether the next pass is."""
        self._turn += 1
        return not self._turn % self.every

    def add(self, hashes: list[int]) -> None:
        """Take in the rows of one pass."""
        is_known = all(each in self.times for each in hashes)
        # Whatever their order; of batches of which few are looked at, none follows another.
        batch = sum(hashes)
        if self.every == 1 and self.rows:
            self.batches += 1
            self.alike += batch == self._last
        self._last = batch
        self._known = self._known + len(hashes) if is_known else 0
        self.every = SELDOM if self._known > AGAIN * len(self.times) else 1
        for each in hashes:
            self.times[each] = self.times.get(each, 0) + 1
        self.rows += len(hashes)
        self.pairs += len(hashes) * (len(hashes) - 1) // 2
        if len(set(hashes)) < len(hashes):
            counts: dict[int, int] = {}
            for each in hashes:
                self.twins += counts.get(each, 0)
                counts[each] = counts.get(each, 0) + 1


class RowStore:
    """What is known of all rows of a script, in bounded room.

    Once there are too many, only fingerprints that end in a 0 bit are kept, then in two: of
    whatever is compared the same ones are there.
    """

    def __init__(self) -> None:
        self._hasher = Hasher()
        self._waiting: list[tuple[Any, Any, int, Sample]] = []
        self._hashed: list[tuple[list[tuple[Any, Any, int, int]], Any]] = []
        self._bytes = 0
        self.trained: dict[Any, TrainedRows] = {}
        self.seen: dict[Any, SeenRows] = {}
        self.before: dict[Any, tuple[Any, ...]] = {}
        self.level = 0

    def go_on(self, owner: Any, earlier: Any) -> None:
        """Note that a training goes on with what an earlier one has learned."""
        known = (*self.before.get(earlier, ()), *((earlier,) if earlier in self.trained else ()))
        self.before[owner] = known[-MOST_BEFORE:]

    def is_looked_at(self, owner: Any) -> bool:
        """Whether the rows of the next pass are looked at, if a loss is to reach it."""
        trained = self.trained.get(owner)
        return trained is None or trained.every == 1 or trained.is_looked_at()

    def count(self, owner: Any, rows: int) -> None:
        """Count the rows of a pass that a loss has reached, looked at or not."""
        trained = self.trained.get(owner)
        if trained is None:
            trained = self.trained[owner] = TrainedRows()
        trained.passed += rows

    def note(self, owner: Any, group: Any, stretch: int, sample: Sample) -> None:
        """Take in the rows of a pass of a network, the `owner`; a `group` is what only asked."""
        if not sample:
            return
        self._waiting.append((owner, group, stretch, sample))
        self._bytes += size_of(sample)
        if self._bytes > MOST_BYTES:
            self._hash()

    def _hash(self) -> None:
        """Compute the fingerprints of what waits, in its order, and leave them where they are."""
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        run: list[tuple[Any, Any, int, Sample]] = []
        for each in [*waiting, None]:
            if run and (each is None or _shape(each[3]) != _shape(run[0][3])):
                hashes = self._hasher.hashes([sample for *_who, sample in run])
                whose = [(o, g, s, sample[0][0].shape[0]) for o, g, s, sample in run]
                self._hashed.append((whose, hashes))
                run = []
            if each is not None:
                run.append(each)

    def pending(self) -> list[Any]:
        """Return the fingerprints that are computed and not read yet, for `take`."""
        self._hash()
        return [hashes for _whose, hashes in self._hashed]

    def take(self, numbers: list[list[int]]) -> None:
        """Take in the fingerprints that were pending, as they were read."""
        hashed, self._hashed = self._hashed, []
        for (whose, _tensor), found in zip(hashed, numbers, strict=True):
            place = 0
            for owner, group, stretch, count in whose:
                self._add(owner, group, stretch, found[place : place + count])
                place += count
        while self._kept() > MOST_HASHES:
            self._thin()

    def _add(self, owner: Any, group: Any, stretch: int, hashes: list[int]) -> None:
        mask = (1 << self.level) - 1
        kept = [each for each in hashes if not each & mask]
        if not kept:
            return
        if group is None:
            self.trained.setdefault(owner, TrainedRows()).add(kept)
        else:
            known = self.trained.get(owner)
            times = known.times if known else {}
            before = [self.trained[one].times for one in self.before.get(owner, ())]
            self.seen.setdefault(group, SeenRows()).add(kept, times, stretch, before)

    def _kept(self) -> int:
        return sum(len(each.times) for each in self.trained.values()) + sum(
            len(each.distinct) for each in self.seen.values()
        )

    def _thin(self) -> None:
        self.level += 1
        mask = (1 << self.level) - 1
        for trained in self.trained.values():
            trained.times = {k: n for k, n in trained.times.items() if not k & mask}
        for seen in self.seen.values():
            seen.distinct = {each for each in seen.distinct if not each & mask}


def _shape(sample: Sample) -> list[Any]:
    return [(v.shape[1:], v.dtype, v.device, mask is None) for v, mask in sample]
