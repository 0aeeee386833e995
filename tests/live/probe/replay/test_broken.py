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
    N,
    Recurrent,
    T,
    V,
    classes,
    mlp,
    padded_ids,
    rows,
)
from tests.live.probe.replay.steps import Step, broken

Make = Callable[[], Step]
STEPS: list[tuple[str, str, Make]] = []


def wrong(fact: str) -> Callable[[Make], Make]:
    def kept(make: Make) -> Make:
        STEPS.append((fact, make.__name__, make))
        return make

    return kept


def of(wide: int, *last: nn.Module, loss: Callable[[Any], Any]) -> Step:
    return Step(mlp(wide, *last), loss, (rows(),))


@wrong("unpaired")
def a_column_against_a_row() -> Step:
    y = torch.randn(N)
    return of(1, loss=lambda made: F.mse_loss(made, y))


@wrong("unpaired")
def a_column_against_a_row_by_a_formula() -> Step:
    y = torch.randn(N)
    return of(1, loss=lambda made: (made - y).abs().mean())


@wrong("unpaired")
def means_before_the_loss() -> Step:
    y = torch.randn(N)
    return of(1, loss=lambda made: (made.mean() - y.mean()) ** 2)


@wrong("unpaired")
def chances_summed_up_before_the_loss() -> Step:
    y = classes()

    def loss(made: Any) -> Any:
        return F.mse_loss(made.softmax(-1).mean(0), F.one_hot(y, 3).float().mean(0))

    return of(3, loss=loss)


@wrong("rows apart")
def labels_by_time() -> Step:
    ids, tags = torch.randint(1, V, (N, T)), torch.randint(0, 4, (N, T))
    return Step(
        Recurrent(4), lambda made: F.cross_entropy(made.reshape(-1, 4), tags.T.reshape(-1)), (ids,)
    )


@wrong("rows apart")
def outputs_by_time() -> Step:
    ids, tags = torch.randint(1, V, (N, T)), torch.randint(0, 4, (N, T))

    def loss(made: Any) -> Any:
        return F.cross_entropy(made.transpose(0, 1).reshape(-1, 4), tags.reshape(-1))

    return Step(Recurrent(4), loss, (ids,))


@wrong("rows apart")
def numbers_by_column() -> Step:
    y = torch.randn(N, 4)
    return of(4, loss=lambda made: F.mse_loss(made.reshape(-1), y.T.reshape(-1)))


@wrong("scrambled")
def classes_viewed_as_places() -> Step:
    ids, tags = torch.randint(1, V, (N, T)), torch.randint(0, 4, (N, T))
    return Step(Recurrent(4), lambda made: F.cross_entropy(made.view(N, 4, T), tags), (ids,))


@wrong("scrambled")
def places_viewed_as_classes() -> Step:
    y = torch.randint(0, 4, (N, 6, 6))
    network = nn.Conv2d(3, 4, 3)

    def loss(made: Any) -> Any:
        return F.cross_entropy(made.reshape(-1, 4), y.reshape(-1))

    return Step(network, loss, (torch.randn(N, 3, 8, 8),))


@wrong("scrambled")
def pictures_viewed_as_classes() -> Step:
    y = torch.randint(0, 4, (N, 25))

    def loss(made: Any) -> Any:
        return F.cross_entropy(made.view(N, 25, 4).transpose(1, 2), y)

    return Step(nn.Conv2d(3, 4, 2), loss, (torch.randn(N, 3, 6, 6),))


@wrong("negated")
def cross_entropy_negated() -> Step:
    y = classes()
    return of(3, loss=lambda made: -F.cross_entropy(made, y))


@wrong("negated")
def squares_negated() -> Step:
    y = torch.randn(N, 1)
    return of(1, loss=lambda made: 1 - ((made - y) ** 2).mean())


@wrong("negated")
def chances_negated() -> Step:
    y = classes(2).float()
    return of(1, loss=lambda made: -F.binary_cross_entropy_with_logits(made[:, 0], y))


@wrong("no logarithm")
def raw_numbers_into_nll() -> Step:
    y = classes()
    return of(3, loss=lambda made: F.nll_loss(made, y))


@wrong("no logarithm")
def chances_into_nll() -> Step:
    y = classes()
    return of(3, nn.Softmax(-1), loss=lambda made: F.nll_loss(made, y))


@wrong("no logarithm")
def chances_times_labels() -> Step:
    y = classes()
    return of(3, loss=lambda made: -(made.softmax(-1) * F.one_hot(y, 3)).sum(-1).mean())


@wrong("out of reach")
def softmax_before_cross_entropy() -> Step:
    y = classes()
    return of(3, nn.Softmax(-1), loss=lambda made: F.cross_entropy(made, y))


@wrong("out of reach")
def sigmoid_before_cross_entropy() -> Step:
    y = classes()
    return of(3, nn.Sigmoid(), loss=lambda made: F.cross_entropy(made, y))


@wrong("out of reach")
def sigmoid_twice() -> Step:
    y = (torch.rand(N, 5) > 0.6).float()
    return of(5, nn.Sigmoid(), loss=lambda made: F.binary_cross_entropy_with_logits(made, y))


@wrong("out of reach")
def sigmoid_twice_by_hand() -> Step:
    y = classes(2).float()[:, None]
    return of(1, nn.Sigmoid(), loss=lambda made: F.binary_cross_entropy(made.sigmoid(), y))


@wrong("out of reach")
def tanh_before_large_targets() -> Step:
    y = 10 + 4 * torch.randn(N, 1)
    return of(1, nn.Tanh(), loss=lambda made: F.mse_loss(made, y))


@wrong("out of reach")
def relu_before_targets_of_both_signs() -> Step:
    y = torch.randn(N, 1)
    return of(1, nn.ReLU(), loss=lambda made: (made - y).abs().mean())


class AcrossRows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(10, 3)

    def forward(self, x: Any) -> Any:
        return self.head((x - x.mean(0)) / x.std(0))


@wrong("rows mixed")
def statistics_of_the_batch() -> Step:
    y = classes()
    return Step(AcrossRows(), lambda made: F.cross_entropy(made, y), (rows(),))


@wrong("rows mixed")
def rows_taken_for_time() -> Step:
    y = torch.randn(N, 1)
    network = LastOfTime(batch_first=False)
    network.axis = 1
    return Step(network, lambda made: F.mse_loss(made, y), (torch.randn(N, T, 5),))


@wrong("term lost")
def a_penalty_without_a_gradient() -> Step:
    y, network = classes(), mlp(3)

    def loss(made: Any) -> Any:
        with torch.no_grad():
            sizes = sum(each.pow(2).sum() for each in network.parameters())
        return F.cross_entropy(made, y) + 0.01 * sizes

    return Step(network, loss, (rows(),))


@wrong("term lost")
def a_term_that_is_detached() -> Step:
    y = classes()
    return of(3, loss=lambda made: (made.abs().mean().detach() + F.cross_entropy(made, y)) / 2)


@wrong("no chances")
def logarithms_for_chances() -> Step:
    goal = torch.randn(N, 3).log_softmax(-1)

    def loss(made: Any) -> Any:
        return F.kl_div(made.log_softmax(-1), goal, reduction="batchmean")

    return of(3, loss=loss)


@wrong("target seen")
def a_column_that_is_the_target() -> Step:
    x = rows()
    y = 3 * x[:, 4] - 2
    return Step(mlp(1), lambda made: F.mse_loss(made[:, 0], y), (x,))


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


@wrong("layer unused")
def a_layer_whose_result_is_let_go() -> Step:
    y = classes()
    return Step(WithSide(), lambda made: F.cross_entropy(made, y), (rows(),))


@wrong("mask learned")
def labels_copied_after_masking() -> Step:
    ids = torch.randint(2, V, (N, T))
    hidden = (torch.arange(N)[:, None] + torch.arange(T)) % 4 == 0
    ids[hidden] = 1
    labels = ids.masked_fill(~hidden, -100)
    return Step(
        Recurrent(V), lambda made: F.cross_entropy(made.reshape(-1, V), labels.reshape(-1)), (ids,)
    )


@wrong("places mixed")
def places_along_the_batch() -> Step:
    y = classes()

    class Placed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.places = nn.Parameter(torch.randn(N, 1, 12))
            self.head = nn.Linear(12, 3)

        def forward(self, x: Any) -> Any:
            return self.head((x + self.places[: len(x)]).mean(1))

    return Step(Placed(), lambda made: F.cross_entropy(made, y), (torch.randn(N, T, 12),))


@wrong("rows mixed")
def rows_attending_to_each_other() -> Step:
    y = classes()

    class Mixing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.TransformerEncoderLayer(12, 2, 16, dropout=0.0)
            self.head = nn.Linear(12, 3)

        def forward(self, x: Any) -> Any:
            return self.head(self.layer(x).mean(1))

    return Step(Mixing(), lambda made: F.cross_entropy(made, y), (torch.randn(N, T, 12),))


def language_model(network: nn.Module) -> Step:
    ids = torch.randint(0, V, (N, T + 1))
    following = ids[:, 1:]
    return Step(
        network,
        lambda made: F.cross_entropy(made.reshape(-1, V), following.reshape(-1)),
        (ids[:, :-1],),
    )


@wrong("later seen")
def attention_without_a_mask() -> Step:
    return language_model(Attending(V, per_place=True))


@wrong("later seen")
def recurrent_in_both_directions() -> Step:
    return language_model(Recurrent(V))


@wrong("later seen")
def places_convolved_with_later_ones() -> Step:
    class Convolving(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(V, 16)
            self.layer, self.head = nn.Conv1d(16, 16, 3, padding=1), nn.Linear(16, V)

        def forward(self, ids: Any) -> Any:
            return self.head(self.layer(self.embedding(ids).transpose(1, 2)).transpose(1, 2))

    return language_model(Convolving())


@wrong("shifted")
def labels_shifted_twice() -> Step:
    ids = torch.randint(0, V, (N, T + 1))
    following = ids[:, 1:]

    def loss(made: Any) -> Any:
        return F.cross_entropy(made[:, :-1].reshape(-1, V), following[:, 1:].reshape(-1))

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
    later = ids[2:]
    return Step(
        Recurrent(V, causal=True, batch_first=False),
        lambda made: F.cross_entropy(made.reshape(-1, V), later.reshape(-1)),
        (ids[:-2],),
    )


class Averaging(Attending):
    """Takes the mean of all places, filled up ones too."""

    def forward(self, ids: Any, attention_mask: Any = None) -> Any:
        made = self.embedding(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.head(self.layers(made).mean(1))


@wrong("padding read")
def mean_of_all_places() -> Step:
    ids, _mask = padded_ids(torch.arange(N) % 6 + 3)
    y = classes()
    return Step(Averaging(3), lambda made: F.cross_entropy(made, y), (ids,))


@wrong("padding read")
def tagger_that_attends_to_padding() -> Step:
    ids, mask = padded_ids(torch.arange(N) % 6 + 3)
    tags = torch.randint(0, 4, (N, T)).masked_fill(mask == 0, -100)
    return Step(
        Attending(4, per_place=True),
        lambda made: F.cross_entropy(made.reshape(-1, 4), tags.reshape(-1)),
        (ids,),
    )


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


@wrong("only padding")
def mask_upside_down() -> Step:
    ids, _mask = padded_ids(torch.arange(N) % 6 + 3)
    y = classes()
    return Step(Scoring(), lambda made: F.cross_entropy(made, y), (ids,))


@wrong("words hidden")
def mask_upside_down_between_two_networks() -> Step:
    ids, _mask = padded_ids(torch.arange(N) % 6 + 3)
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
    ids, mask = padded_ids(torch.arange(N) % 6 + 3)
    # The padding and the end of each text are one id.
    ids[torch.arange(N), mask.sum(1) - 1] = 0
    labels = ids.masked_fill(ids == 0, -100)
    return Step(
        Writing(V, causal=True),
        lambda made: F.cross_entropy(made[:, :-1].reshape(-1, V), labels[:, 1:].reshape(-1)),
        (ids, mask, labels),
    )


@wrong("padding in loss")
def padding_of_a_translation() -> Step:
    ids, mask = padded_ids(torch.arange(N) % 6 + 3)
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
def last_place_of_all() -> Step:
    ids, _mask = padded_ids(torch.arange(N) % 6 + 3)
    y = classes()
    network = Recurrent(3, causal=True)
    return Step(network, lambda made: F.cross_entropy(made[:, -1], y), (ids,))


@wrong("padding in loss")
def padding_among_the_labels() -> Step:
    ids, mask = padded_ids()
    tags = torch.randint(0, 4, (N, T)) * mask
    return Step(
        Attending(4, per_place=True),
        lambda made: F.cross_entropy(made.reshape(-1, 4), tags.reshape(-1)),
        (ids,),
        {"attention_mask": mask},
    )


@wrong("padding in loss")
def padding_among_the_next_words() -> Step:
    ids, _mask = padded_ids(torch.arange(N) % 6 + 3)
    following = ids[:, 1:]
    return Step(
        Attending(V, causal=True),
        lambda made: F.cross_entropy(made.reshape(-1, V), following.reshape(-1)),
        (ids[:, :-1],),
    )


@wrong("padding in loss")
def mask_of_another_batch() -> Step:
    ids, mask = padded_ids(torch.arange(N) % 6 + 3)
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
def second_input_left_out() -> Step:
    y = classes()
    return Step(OneOfTwo(), lambda made: F.cross_entropy(made, y), (rows(), rows()))


@wrong("unread")
def mask_left_out() -> Step:
    ids, mask = padded_ids(torch.arange(N) % 6 + 3)
    y = classes()
    named = {"attention_mask": mask}
    return Step(Averaging(3), lambda made: F.cross_entropy(made, y), (ids,), named)


@wrong("unread")
def numbers_left_out() -> Step:
    class Wide(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.head = nn.Embedding(V, 8), nn.Linear(8, 1)

        def forward(self, word: Any, sizes: Any) -> Any:
            return self.head(self.words(word))

    y = torch.randn(N, 1)
    return Step(Wide(), lambda made: F.mse_loss(made, y), (classes(V), rows()))


@wrong("chance in evaluation")
def dropout_that_knows_no_mode() -> Step:
    class Dropping(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = nn.Linear(10, 20), nn.Linear(20, 3)

        def forward(self, x: Any) -> Any:
            return self.head(F.dropout(self.body(x).relu(), 0.3))

    y = classes()
    return Step(Dropping(), lambda made: F.cross_entropy(made, y), (rows(),))


@wrong("labels ignored")
def labels_that_stand_for_none() -> Step:
    y = torch.full((N,), -100)
    return of(3, loss=lambda made: F.cross_entropy(made, y))


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
@pytest.mark.parametrize(("fact", "name", "make"), STEPS, ids=[name for _f, name, _m in STEPS])
def test_what_is_wrong_with_a_step_is_told(fact: str, name: str, make: Make, times: int) -> None:
    torch.manual_seed(7)
    step = make()
    step.train(times)
    found = step.look()
    told = broken(found)
    assert fact in told, (told, found)
    assert told <= {fact, *ALSO.get(fact, ())}, found


@pytest.mark.parametrize(
    ("make", "figures"),
    [(statistics_of_the_batch, (0, 2)), (rows_attending_to_each_other, (0, 0))],
)
def test_whether_rows_are_scaled_by_figures_of_their_batch(
    make: Make, figures: tuple[int, int]
) -> None:
    found = make().look()
    assert (found["rows_normed"], found["rows_figures"]) == figures


def test_batch_norm_that_keeps_no_figures_takes_those_of_the_batch() -> None:
    y = classes()
    norm = nn.BatchNorm1d(10, track_running_stats=False)
    network = nn.Sequential(norm, nn.Linear(10, 3))
    found = Step(network, lambda made: F.cross_entropy(made, y), (rows(),)).look()
    assert (found["rows_normed"], found["rows_figures"]) == (1, 0)


def test_constants_and_terms_of_logged_numbers_are_no_lost_terms() -> None:
    y, weight = classes(), torch.tensor(0.3)
    far = torch.zeros(())

    def loss(made: Any) -> Any:
        far.add_(made.detach().abs().mean())
        return weight * F.cross_entropy(made, y) + 1.0 + weight

    assert of(3, loss=loss).look()["lost_terms"] == 0
