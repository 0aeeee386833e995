"""Along which axis layers for sequences run, and what masks hide from attention."""

import pytest
import torch
from torch import nn

from course_probe.vital_signs.sequences.axes import SequenceAxes
from course_probe.vital_signs.sequences.hiding_masks import HidingMasks
from course_probe.vital_signs.sequences.past_targets import PastTargets

EXAMPLES, STEPS, TOKENS = 6, 4, 20
Ids = dict[tuple[int, ...], torch.Tensor]


def figures(
    batch_first: bool,
    kind: str = "rows",
    loaded: tuple[int, ...] | None = None,
    time_first: bool = False,
) -> dict[str, float]:
    """Of some losses behind a recurrent layer that is given examples × steps, or the reverse."""
    torch.manual_seed(0)
    axes, layer = SequenceAxes(), nn.GRU(3, 5, batch_first=batch_first)
    embed, head = nn.Embedding(TOKENS, 3), nn.Linear(5, TOKENS)
    for _loss in range(4):
        row = torch.randint(0, TOKENS, (EXAMPLES, STEPS + 1))
        ids = row[:, :-1].T if time_first else row[:, :-1]
        following = row[:, 1:].T if time_first else row[:, 1:]
        given = embed(ids)
        made = layer(given)
        axes.note_layer(layer, (given,), made)
        if kind == "tokens":
            outputs, target = head(made[0]).reshape(-1, TOKENS), following.reshape(-1)
        else:
            outputs = head(made[0][-1] if time_first else made[0][:, -1])
            target = torch.zeros(len(outputs), dtype=torch.long)
        axes.note_loss(outputs, target, loaded, {tuple(ids.shape): ids})
    return axes.figures()


@pytest.mark.parametrize("kind", ["rows", "tokens"])
def test_a_layer_that_takes_examples_for_steps(kind: str) -> None:
    assert figures(batch_first=False, kind=kind) == {"examples_as_time": 1.0}
    assert figures(batch_first=True, kind=kind) == {"examples_as_time": 0.0}
    assert figures(batch_first=False, kind=kind, time_first=True) == {"examples_as_time": 0.0}


def test_a_loader_tells_which_axis_is_that_of_the_examples() -> None:
    loaded = (EXAMPLES, STEPS)
    assert figures(batch_first=False, loaded=loaded) == {"examples_as_time": 1.0}
    assert figures(batch_first=True, loaded=loaded) == {"examples_as_time": 0.0}


def one_sequence(loaded: tuple[int, ...] | None, steps: int | None) -> dict[str, float]:
    """A layer that is given rows of a table, as they are or as sequences of one step."""
    torch.manual_seed(0)
    axes, layer, head = SequenceAxes(), nn.LSTM(3, 5), nn.Linear(5, 1)
    for _loss in range(4):
        given = torch.randn(EXAMPLES, 3) if steps is None else torch.randn(EXAMPLES, steps, 3)
        made = layer(given)
        axes.note_layer(layer, (given,), made)
        outputs = head(made[0] if steps is None else made[0][:, -1])
        axes.note_loss(outputs, torch.zeros(EXAMPLES, 1), loaded, {})
    return axes.figures()


@pytest.mark.parametrize("steps", [None, 1])
def test_rows_of_a_table_are_no_steps_in_time(steps: int | None) -> None:
    assert one_sequence((EXAMPLES, 3), steps) == {"examples_as_time": 1.0}
    # They are where nobody has drawn them: a series of which each step is to be told.
    assert one_sequence(None, steps) == {}


def test_words_within_sentences_of_a_text_are_no_examples() -> None:
    torch.manual_seed(0)
    axes, layer, head = SequenceAxes(), nn.GRU(3, 5, batch_first=True), nn.Linear(5, 2)
    for _loss in range(4):
        # As many words in a sentence as texts in a batch, by chance.
        given = torch.randn(EXAMPLES * 2, EXAMPLES, 3)
        made = layer(given)
        axes.note_layer(layer, (given,), made)
        outputs = head(made[0].mean(1).reshape(EXAMPLES, 2, 5).mean(1))
        axes.note_loss(outputs, torch.zeros(EXAMPLES, dtype=torch.long), (EXAMPLES, 2), {})
    assert axes.figures() == {"examples_as_time": 0.0}


IDS = torch.tensor([[5, 6, 7, 8], [9, 5, 0, 0], [6, 0, 0, 0]])


@pytest.mark.parametrize(
    ("hidden", "share"),
    [
        (IDS == 0, {"masks_inverted": 0.0, "masks_too_weak": 0.0}),
        (IDS != 0, {"masks_inverted": 1.0, "masks_too_weak": 0.0}),
        ((IDS != 0)[:, None, None], {"masks_inverted": 1.0, "masks_too_weak": 0.0}),
        (torch.where(IDS != 0, -torch.inf, 0.0), {"masks_inverted": 1.0, "masks_too_weak": 0.0}),
        (IDS > 6, {}),
        (torch.zeros(3, 4, dtype=torch.bool), {}),
        (torch.ones(4, 4, dtype=torch.bool).triu(1), {}),
    ],
)
def test_what_a_mask_hides(hidden: torch.Tensor, share: dict[str, float]) -> None:
    masks = HidingMasks()
    for _mask in range(4):
        masks.note(hidden, {(3, 4): IDS})
    assert masks.figures() == share


@pytest.mark.parametrize(("shift", "share"), [(-1, 1.0), (1, 0.0), (0, None), (2, None)], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_targets_that_the_network_was_given_a_step_before(
    shift: int, share: float | None, axis: int
) -> None:
    past = PastTargets()
    for seed in range(4):
        series = torch.randn((20, 4, 1), generator=torch.Generator().manual_seed(seed))
        given, wanted = series[2:12], series[2 + shift : 12 + shift]
        given, wanted = (each.movedim(0, axis).contiguous() for each in (given, wanted))
        past.note_input(given)
        past.note_target(wanted.reshape(-1))
    assert past.figures() == ({} if share is None else {"targets_from_past": share})
