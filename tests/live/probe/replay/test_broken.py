"""What is wrong with a step is told, by what was measured, and nothing else is."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (as everybody does)
from torch import nn

from tests.live.probe.replay.healthy import (
    Attending,
    LastOfTime,
    Make,
    N,
    Recurrent,
    T,
    V,
    by_place,
    classes,
    fit,
    language_model,
    mlp,
    padded_ids,
    rows,
)
from tests.live.probe.replay.steps import Step, broken


def tagged() -> tuple[Any, Any]:
    """Tags of places, and ids."""
    return torch.randint(0, 4, (N, T)), torch.randint(1, V, (N, T))


def uneven_ids() -> tuple[Any, Any]:
    return padded_ids(torch.arange(N) % 6 + 3)


STEPS: dict[str, dict[str, Make]] = {
    "unpaired": {
        "a_column_against_a_row": lambda: fit(mlp(1), F.mse_loss, torch.randn(N), rows()),
        "a_column_against_a_row_by_a_formula": lambda: fit(
            mlp(1), lambda made, y: (made - y).abs().mean(), torch.randn(N), rows()
        ),
        "means_before_the_loss": lambda: fit(
            mlp(1), lambda made, y: (made.mean() - y.mean()) ** 2, torch.randn(N), rows()
        ),
    },
    "rows apart": {
        "labels_by_time": lambda: fit(
            Recurrent(4), lambda made, tags: by_place(made, tags.T), *tagged()
        ),
        "outputs_by_time": lambda: fit(
            Recurrent(4), lambda made, tags: by_place(made.transpose(0, 1), tags), *tagged()
        ),
        "numbers_by_column": lambda: fit(
            mlp(4),
            lambda made, y: F.mse_loss(made.reshape(-1), y.T.reshape(-1)),
            torch.randn(N, 4),
            rows(),
        ),
    },
    "scrambled": {
        "classes_viewed_as_places": lambda: fit(
            Recurrent(4), lambda made, tags: F.cross_entropy(made.view(N, 4, T), tags), *tagged()
        ),
        "places_viewed_as_classes": lambda: fit(
            nn.Conv2d(3, 4, 3),
            lambda made, y: F.cross_entropy(made.reshape(-1, 4), y.reshape(-1)),
            torch.randint(0, 4, (N, 6, 6)),
            torch.randn(N, 3, 8, 8),
        ),
        "pictures_viewed_as_classes": lambda: fit(
            nn.Conv2d(3, 4, 2),
            lambda made, y: F.cross_entropy(made.view(N, 25, 4).transpose(1, 2), y),
            torch.randint(0, 4, (N, 25)),
            torch.randn(N, 3, 6, 6),
        ),
    },
    "negated": {
        "cross_entropy_negated": lambda: fit(
            mlp(3), lambda made, y: -F.cross_entropy(made, y), classes(), rows()
        ),
        "squares_negated": lambda: fit(
            mlp(1), lambda made, y: 1 - ((made - y) ** 2).mean(), torch.randn(N, 1), rows()
        ),
        "chances_negated": lambda: fit(
            mlp(1),
            lambda made, y: -F.binary_cross_entropy_with_logits(made[:, 0], y),
            classes(2).float(),
            rows(),
        ),
    },
    "no logarithm": {
        "raw_numbers_into_nll": lambda: fit(mlp(3), F.nll_loss, classes(), rows()),
        "chances_into_nll": lambda: fit(mlp(3, nn.Softmax(-1)), F.nll_loss, classes(), rows()),
        "chances_times_labels": lambda: fit(
            mlp(3),
            lambda made, y: -(made.softmax(-1) * F.one_hot(y, 3)).sum(-1).mean(),
            classes(),
            rows(),
        ),
    },
    "out of reach": {
        "softmax_before_cross_entropy": lambda: fit(
            mlp(3, nn.Softmax(-1)), F.cross_entropy, classes(), rows()
        ),
        "sigmoid_before_cross_entropy": lambda: fit(
            mlp(3, nn.Sigmoid()), F.cross_entropy, classes(), rows()
        ),
        "sigmoid_twice": lambda: fit(
            mlp(5, nn.Sigmoid()),
            F.binary_cross_entropy_with_logits,
            (torch.rand(N, 5) > 0.6).float(),
            rows(),
        ),
        "sigmoid_twice_by_hand": lambda: fit(
            mlp(1, nn.Sigmoid()),
            lambda made, y: F.binary_cross_entropy(made.sigmoid(), y),
            classes(2).float()[:, None],
            rows(),
        ),
        "tanh_before_large_targets": lambda: fit(
            mlp(1, nn.Tanh()), F.mse_loss, 10 + 4 * torch.randn(N, 1), rows()
        ),
        "relu_before_targets_of_both_signs": lambda: fit(
            mlp(1, nn.ReLU()), lambda made, y: (made - y).abs().mean(), torch.randn(N, 1), rows()
        ),
    },
    "rows mixed": {
        "statistics_of_the_batch": lambda: fit(AcrossRows(), F.cross_entropy, classes(), rows()),
        "rows_attending_to_each_other": lambda: fit(
            Mixing(), F.cross_entropy, classes(), torch.randn(N, T, 12)
        ),
    },
    "places mixed": {
        "places_along_the_batch": lambda: fit(
            Placed(), F.cross_entropy, classes(), torch.randn(N, T, 12)
        ),
    },
    "term lost": {
        "a_term_that_is_detached": lambda: fit(
            mlp(3),
            lambda made, y: (made.abs().mean().detach() + F.cross_entropy(made, y)) / 2,
            classes(),
            rows(),
        ),
        "a_term_of_rows_that_were_arrays": lambda: fit(
            mlp(3),
            lambda made, y: (
                torch.from_numpy(made.data.numpy()[3:9]).pow(2).mean() + F.cross_entropy(made, y)
            ),
            classes(),
            rows(),
        ),
    },
    "no chances": {
        "logarithms_for_chances": lambda: fit(
            mlp(3),
            lambda made, goal: F.kl_div(made.log_softmax(-1), goal, reduction="batchmean"),
            torch.randn(N, 3).log_softmax(-1),
            rows(),
        ),
    },
    "layer unused": {
        "a_layer_whose_result_is_let_go": lambda: fit(
            WithSide(), F.cross_entropy, classes(), rows()
        ),
    },
    "later seen": {
        "attention_without_a_mask": lambda: language_model(Attending(V, per_place=True)),
        "recurrent_in_both_directions": lambda: language_model(Recurrent(V)),
        "places_convolved_with_later_ones": lambda: language_model(Convolving()),
    },
    "padding read": {
        "mean_of_all_places": lambda: fit(
            Averaging(3), F.cross_entropy, classes(), uneven_ids()[0]
        ),
    },
    "only padding": {
        "mask_upside_down": lambda: fit(Scoring(), F.cross_entropy, classes(), uneven_ids()[0]),
    },
    "padding in loss": {
        "last_place_of_all": lambda: fit(
            Recurrent(3, causal=True),
            lambda made, y: F.cross_entropy(made[:, -1], y),
            classes(),
            uneven_ids()[0],
        ),
    },
    "unread": {
        "second_input_left_out": lambda: fit(
            OneOfTwo(), F.cross_entropy, classes(), rows(), rows()
        ),
        "numbers_left_out": lambda: fit(Wide(), F.mse_loss, torch.randn(N, 1), classes(V), rows()),
    },
    "chance in evaluation": {
        "dropout_that_knows_no_mode": lambda: fit(Dropping(), F.cross_entropy, classes(), rows()),
    },
    "labels ignored": {
        "labels_that_stand_for_none": lambda: fit(
            mlp(3), F.cross_entropy, torch.full((N,), -100), rows()
        ),
    },
}


def wrong(fact: str) -> Callable[[Make], Make]:
    def kept(make: Make) -> Make:
        STEPS.setdefault(fact, {})[make.__name__] = make
        return make

    return kept


@wrong("unpaired")
def chances_summed_up_before_the_loss() -> Step:
    y = classes()

    def loss(made: Any) -> Any:
        return F.mse_loss(made.softmax(-1).mean(0), F.one_hot(y, 3).float().mean(0))

    return Step(mlp(3), loss, (rows(),))


class AcrossRows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(10, 3)

    def forward(self, x: Any) -> Any:
        return self.head((x - x.mean(0)) / x.std(0))


@wrong("rows mixed")
def rows_taken_for_time() -> Step:
    network = LastOfTime(batch_first=False)
    network.axis = 1
    return fit(network, F.mse_loss, torch.randn(N, 1), torch.randn(N, T, 5))


@wrong("term lost")
def a_penalty_without_a_gradient() -> Step:
    y, network = classes(), mlp(3)

    def loss(made: Any) -> Any:
        with torch.no_grad():
            sizes = sum(each.pow(2).sum() for each in network.parameters())
        return F.cross_entropy(made, y) + 0.01 * sizes

    return Step(network, loss, (rows(),))


@wrong("target seen")
def a_column_that_is_the_target() -> Step:
    x = rows()
    return fit(mlp(1), lambda made, y: F.mse_loss(made[:, 0], y), 3 * x[:, 4] - 2, x)


@wrong("target seen")
def a_window_that_ends_with_the_target() -> Step:
    x = torch.randn(N, T, 5)
    y = x[:, -1, 0].clone()
    return Step(LastOfTime(batch_first=True), lambda made: F.mse_loss(made[:, 0], y), (x,))


class WithSide(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.side, self.head = nn.Linear(10, 8), nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        made = self.body(x).relu()
        self.side(made).relu()
        return self.head(made)


@wrong("mask learned")
def labels_copied_after_masking() -> Step:
    ids = torch.randint(2, V, (N, T))
    hidden = (torch.arange(N)[:, None] + torch.arange(T)) % 4 == 0
    ids[hidden] = 1
    labels = ids.masked_fill(~hidden, -100)
    return fit(Recurrent(V), by_place, labels, ids)


class Placed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.randn(N, 1, 12))
        self.head = nn.Linear(12, 3)

    def forward(self, x: Any) -> Any:
        return self.head((x + self.places[: len(x)]).mean(1))


class Mixing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(12, 2, 16, dropout=0.0)
        self.head = nn.Linear(12, 3)

    def forward(self, x: Any) -> Any:
        return self.head(self.layer(x).mean(1))


class Convolving(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, 16)
        self.layer, self.head = nn.Conv1d(16, 16, 3, padding=1), nn.Linear(16, V)

    def forward(self, ids: Any) -> Any:
        return self.head(self.layer(self.embedding(ids).transpose(1, 2)).transpose(1, 2))


@wrong("shifted")
def labels_shifted_twice() -> Step:
    ids = torch.randint(0, V, (N, T + 1))
    following = ids[:, 1:]

    def loss(made: Any) -> Any:
        return by_place(made[:, :-1], following[:, 1:])

    return Step(Recurrent(V, causal=True), loss, (ids[:, :-1],))


@wrong("shifted")
def the_word_after_next() -> Step:
    ids = torch.randint(0, V, (N, T + 2))
    later = ids[:, 2:]
    return Step(
        Recurrent(V, causal=True),
        lambda made: F.cross_entropy(made.transpose(1, 2), later),
        (ids[:, :-2],),
    )


@wrong("shifted")
def the_word_after_next_by_time() -> Step:
    ids = torch.randint(0, V, (T + 2, N))
    return fit(Recurrent(V, causal=True, batch_first=False), by_place, ids[2:], ids[:-2])


class Averaging(Attending):
    """Takes the mean of all places, filled up ones too."""

    def forward(self, ids: Any, attention_mask: Any = None) -> Any:
        made = self.embedding(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.head(self.layers(made).mean(1))


@wrong("padding read")
def tagger_that_attends_to_padding() -> Step:
    ids, mask = uneven_ids()
    tags = torch.randint(0, 4, (N, T)).masked_fill(mask == 0, -100)
    return fit(Attending(4, per_place=True), by_place, tags, ids)


class Scoring(nn.Module):
    """Takes a mean of what fills up its rows, by scores, in place of one of the words."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, 16)
        self.score, self.head = nn.Linear(16, 1), nn.Linear(16, 3)

    def forward(self, ids: Any) -> Any:
        made = self.embedding(ids)
        weights = self.score(made)[..., 0].masked_fill(ids != 0, -torch.inf).softmax(1)
        return self.head((weights[..., None] * made).sum(1))


@wrong("words hidden")
def mask_upside_down_between_two_networks() -> Step:
    ids, _mask = uneven_ids()
    y, score, head = classes(), nn.Linear(16, 1), nn.Linear(16, 3)

    def loss(made: Any) -> Any:
        scores = score(made)[..., 0].masked_fill(ids != 0, -1e9)
        return F.cross_entropy(head((scores.softmax(1)[..., None] * made).sum(1)), y)

    return Step(nn.Embedding(V, 16), loss, (ids,), other_networks=(score, head))


class Writing(Attending):
    """Takes labels beside its ids, as networks that compute a loss do."""

    def forward(self, ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
        return super().forward(ids, attention_mask)


@wrong("ends left out")
def ends_taken_for_padding() -> Step:
    ids, mask = uneven_ids()
    # The padding and the end of each text are one id.
    ids[torch.arange(N), mask.sum(1) - 1] = 0
    labels = ids.masked_fill(ids == 0, -100)
    return Step(
        Writing(V, causal=True),
        lambda made: by_place(made[:, :-1], labels[:, 1:]),
        (ids, mask, labels),
    )


@wrong("padding in loss")
def padding_of_a_translation() -> Step:
    ids, mask = uneven_ids()
    longer = torch.cat([ids, torch.zeros(N, 4, dtype=torch.int64)], 1)

    class Translating(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = Attending(V), nn.Linear(V, (T + 4) * V)

        def forward(self, ids: Any, attention_mask: Any) -> Any:
            return self.head(self.body(ids, attention_mask)).reshape(N, T + 4, V)

    return Step(
        Translating(),
        lambda made: F.cross_entropy(made.transpose(1, 2), longer),
        (ids, mask),
    )


@wrong("padding in loss")
def padding_among_the_labels() -> Step:
    ids, mask = padded_ids()
    tags = torch.randint(0, 4, (N, T)) * mask
    return fit(Attending(4, per_place=True), by_place, tags, ids, attention_mask=mask)


@wrong("padding in loss")
def padding_among_the_next_words() -> Step:
    ids, _mask = uneven_ids()
    return fit(Attending(V, causal=True), by_place, ids[:, 1:], ids[:, :-1])


@wrong("padding in loss")
def mask_of_another_batch() -> Step:
    ids, mask = uneven_ids()
    tags = torch.randint(1, 5, (N, T)) * mask

    def loss(made: Any) -> Any:
        each = F.cross_entropy(made.transpose(1, 2), tags, reduction="none")
        return (each * mask.roll(1, 0)).sum() / mask.sum()

    return Step(Attending(5, per_place=True), loss, (ids,), {"attention_mask": mask})


class OneOfTwo(nn.Module):
    """Takes two things, and reads the first."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = mlp(3), mlp(3)

    def forward(self, one: Any, other: Any) -> Any:
        return self.one(one) + self.other(one)


@wrong("unread")
def mask_left_out() -> Step:
    ids, mask = uneven_ids()
    return fit(Averaging(3), F.cross_entropy, classes(), ids, attention_mask=mask)


class Wide(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(V, 8), nn.Linear(8, 1)

    def forward(self, word: Any, sizes: Any) -> Any:
        return self.head(self.words(word))


class Dropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(10, 20), nn.Linear(20, 3)

    def forward(self, x: Any) -> Any:
        return self.head(F.dropout(self.body(x).relu(), 0.3))


ALSO = {
    "rows mixed": {"places mixed"},
    "unpaired": {"rows apart"},
    "unread": {"padding read"},
    "shifted": {"later seen"},
    "only padding": {"unread", "words hidden"},
    "ends left out": {"unread"},
    "padding in loss": {"padding read"},
}
"""What else may be told of the same."""


@pytest.mark.parametrize("times", [0, pytest.param(30, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    ("fact", "name"),
    [pytest.param(fact, name, id=name) for fact, steps in STEPS.items() for name in steps],
)
def test_what_is_wrong_with_a_step_is_told(fact: str, name: str, times: int) -> None:
    torch.manual_seed(7)
    step = STEPS[fact][name]()
    step.train(times)
    found = step.look()
    told = broken(found)
    assert fact in told, (told, found)
    assert told <= {fact, *ALSO.get(fact, ())}, found


@pytest.mark.parametrize(
    ("name", "figures"),
    [("statistics_of_the_batch", (0, 2)), ("rows_attending_to_each_other", (0, 0))],
)
def test_whether_rows_are_scaled_by_figures_of_their_batch(
    name: str, figures: tuple[int, int]
) -> None:
    found = STEPS["rows mixed"][name]().look()
    assert (found["rows_normed"], found["rows_figures"]) == figures


class Turned(nn.Module):
    """Reads pictures whose channels come last."""

    def __init__(self, turn: Callable[[Any], Any]) -> None:
        super().__init__()
        self.turn = turn
        self.layer = nn.Conv2d(3, 4, 5)

    def forward(self, pictures: Any) -> Any:
        return self.layer(self.turn(pictures)).mean((2, 3))


def first(one: Any) -> Any:
    """Put the last axis first of all but the rows."""
    return one.permute(0, 3, 1, 2)


@pytest.mark.parametrize(
    ("turn", "renamed"),
    [
        (lambda one: one.view(-1, 3, 6, 7), 1),
        (lambda one: one.reshape(len(one), 3, 7, 6).transpose(2, 3), 1),
        (lambda one: first(one).reshape(-1, 3, 7).reshape(-1, 6, 3, 7).transpose(1, 2), 1),
        (lambda one: first(one).reshape(-1, 3, 2, 3, 7).reshape(-1, 3, 6, 7), 0),
        (first, 0),
        (lambda one: first(one).reshape(-1, 3, 6, 7), 0),
        (lambda one: one.flatten(1).unflatten(1, (6, 7, 3)).movedim(3, 1), 0),
    ],
)
def test_axes_that_are_named_otherwise(turn: Callable[[Any], Any], renamed: int) -> None:
    found = fit(Turned(turn), F.cross_entropy, classes(), torch.randn(N, 6, 7, 3)).look()
    assert found["axes_renamed"] == renamed


class Patches(nn.Module):
    """Reads a grid of patches that are as large as the grid is wide."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, grid: Any) -> Any:
        return self.layer(grid.transpose(2, 3).reshape(-1, 16, 4)).mean(1)


def test_neighbouring_axes_that_become_one_may_be_as_long_as_another() -> None:
    found = fit(Patches(), F.cross_entropy, classes(), torch.randn(N, 4, 2, 4, 2)).look()
    assert found["axes_renamed"] == 0


def test_batch_norm_that_keeps_no_figures_takes_those_of_the_batch() -> None:
    norm = nn.BatchNorm1d(10, track_running_stats=False)
    network = nn.Sequential(norm, nn.Linear(10, 3))
    found = fit(network, F.cross_entropy, classes(), rows()).look()
    assert (found["rows_normed"], found["rows_figures"]) == (1, 0)


def test_constants_and_terms_of_logged_numbers_are_no_lost_terms() -> None:
    y, weight = classes(), torch.tensor(0.3)
    far = torch.zeros(())

    def loss(made: Any) -> Any:
        far.add_(made.detach().abs().mean())
        return weight * F.cross_entropy(made, y) + 1.0 + weight

    assert Step(mlp(3), loss, (rows(),)).look()["lost_terms"] == 0


def test_what_falls_with_few_chances_and_rises_with_others_expects_no_logarithms() -> None:
    def dice(made: Any, y: Any) -> Any:
        chances, one_hot = made.softmax(1), F.one_hot(y, 3)
        return 1 - 2 * (chances * one_hot).sum() / (chances + one_hot).sum()

    assert not fit(mlp(3), dice, classes(), rows()).look().get("log_sum")


def test_chances_by_the_labels_of_others_are_chances() -> None:
    shown = F.one_hot(classes(), 3).float()

    def loss(made: Any, y: Any) -> Any:
        return F.cross_entropy((made @ made.T).softmax(1) @ shown, y)

    assert fit(mlp(3), loss, classes(), rows()).look()["chances_given"]
    assert not fit(mlp(3), F.cross_entropy, classes(), rows()).look()["chances_given"]


@pytest.mark.parametrize(("is_all", "share"), [(True, 0.5), (False, 0.0)])
def test_words_that_are_not_masked_count_or_do_not(share: float, *, is_all: bool) -> None:
    torch.manual_seed(3)
    words = torch.randint(2, V, (N, T))
    masked = torch.rand(N, T) < 0.2
    labels = words if is_all else words.masked_fill(~masked, -100)
    network = nn.Sequential(nn.Embedding(V, 16), nn.Linear(16, V))
    found = fit(network, by_place, labels, words.masked_fill(masked, 1)).look()
    assert found.get("unmasked", 0.0) >= share
    assert is_all or "unmasked" not in found


@pytest.mark.parametrize(
    "way", [{"ignore_index": 0}, {"weight": torch.tensor([0.0, 1.0, 1.0, 2.0])}, {}]
)
@pytest.mark.parametrize(("ends", "real"), [(0, 0.3), (3, 0.05)])
def test_a_class_that_is_left_out_and_is_no_padding(
    ends: int, real: float, way: dict[str, Any]
) -> None:
    torch.manual_seed(3)
    tags = torch.randint(1, 4, (N, T))
    words = torch.randint(1, V, (N, T))
    if ends:
        tags[:, -ends:] = 0
        words[:, -ends:] = 0
    else:
        tags[:, 1:-1:2] = 0
    ignoring = nn.CrossEntropyLoss(**way)

    def loss(made: Any, y: Any) -> Any:
        counted = y > 0 if not way else y > -1
        return ignoring(made[counted], y[counted])

    told = fit(Recurrent(4), loss, tags, words).look()
    assert told["ignored_class"] == 0
    assert (told["ignored_real"] >= real) is not bool(ends)


@pytest.mark.parametrize("is_detached", [True, False])
@pytest.mark.parametrize("is_scaled", [True, False])
def test_an_error_that_is_learned_and_weighs_another_term(
    *, is_detached: bool, is_scaled: bool
) -> None:
    torch.manual_seed(3)
    rewards, actions = torch.randn(N), torch.randint(0, 3, (N, 1))

    def loss(made: Any) -> Any:
        values, chances = made[:, 0], made[:, 1:].log_softmax(1).gather(1, actions).squeeze(1)
        gain = rewards - values
        weight = (gain - gain.mean().item()) / 2.0 if is_scaled else gain
        weight = weight.detach() if is_detached else weight
        return F.mse_loss(values, rewards) - (weight * chances).mean()

    found = Step(mlp(4), loss, (rows(),)).look()
    assert found["weighted"] is not is_detached


@pytest.mark.parametrize(
    ("between", "given", "are_one"),
    [
        (nn.Identity(), "any", True),
        # Of one row nothing is known.
        (nn.Identity(), "alike", False),
        (nn.ReLU(), "any", False),
        # Far from 0, all rows are on one side of each bend.
        (nn.ReLU(), "far", False),
        # It bends alike on both sides of 0.
        (nn.Tanh(), "any", False),
    ],
)
def test_whether_layers_are_as_good_as_one(
    between: nn.Module, given: str, *, are_one: bool
) -> None:
    torch.manual_seed(3)
    layers = nn.Linear(10, 20, bias=False), between, nn.Linear(20, 3, bias=False)
    made = {"any": rows(), "alike": rows()[:1].expand(N, -1).clone(), "far": rows() + 1e4}
    found = fit(nn.Sequential(*layers), F.cross_entropy, classes(), made[given]).look()
    assert bool(found["layers_in_one"]) is are_one


def test_classes_that_are_given_by_a_1_among_zeros_have_an_axis() -> None:
    torch.manual_seed(3)
    targets = F.one_hot(classes(), 3).float()
    assert fit(mlp(3), F.cross_entropy, targets, rows()).look()["class_axis"]["found"] == [1]
    several = (targets + targets.roll(1, 0)).clamp(max=1)
    assert "class_axis" not in fit(mlp(3), F.cross_entropy, several, rows()).look()


@pytest.mark.parametrize("kind", ["mask", "ends", "class", "none"])
def test_numbers_of_a_row_that_a_mask_leaves_out(kind: str) -> None:
    torch.manual_seed(3)
    mask = {"mask": torch.rand(N, 8) > 0.4, "ends": torch.arange(8) < torch.arange(N)[:, None] % 8}
    counted = mask.get(kind, torch.ones(N, 8)).float()

    def loss(made: Any, y: Any) -> Any:
        if kind == "class":
            return F.mse_loss(made.gather(1, classes(8)[:, None]), y[:, :1])
        return (F.mse_loss(made, y, reduction="none") * counted).mean()

    found = fit(mlp(8), loss, torch.randn(N, 8), rows()).look()
    assert found["scored_in_part"] is (kind == "mask")


class Last(nn.Module):
    """Takes the last place of a recurrent layer, or the largest numbers of all places."""

    def __init__(self, *, is_largest: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, 16, padding_idx=0)
        self.layer, self.spread = nn.RNN(16, 16, batch_first=True), nn.Conv1d(16, 16, 3, padding=1)
        self.head, self.is_largest = nn.Linear(16, 3), is_largest

    def forward(self, ids: Any) -> Any:
        made = self.embedding(ids)
        if self.is_largest:
            return self.head(self.spread(made.transpose(1, 2)).amax(2))
        return self.head(self.layer(made)[0][:, -1])


@pytest.mark.parametrize("filled", [1, 100])
def test_how_much_padding_there_is_may_be_nothing_to_an_answer(filled: int) -> None:
    torch.manual_seed(3)
    ids = torch.cat([uneven_ids()[0], torch.zeros(N, filled, dtype=torch.int64)], 1)
    found = fit(Last(is_largest=True), F.cross_entropy, classes(), ids).look()
    assert found["padding_moves"] < 1e-3
    found = fit(Last(is_largest=False), F.cross_entropy, classes(), ids).look()
    # Behind much of it, no row has words that are seen.
    assert (found["unseen_behind"] == 1) is (filled == 100)
