"""Steps of trainings with nothing wrong with them, of many kinds."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (as everybody does)
from torch import nn

from tests.live.probe.replay.steps import Step

N, T, V = 16, 9, 24
"""Rows, places and words."""
Make = Callable[[], Step]


def fit(
    network: nn.Module, loss: Callable[..., Any], targets: Any, *args: Any, **named: Any
) -> Step:
    """A step of a network that is given something, and whose outputs are compared with targets."""
    return Step(network, lambda made: loss(made, targets), args, named)


def by_place(made: Any, tags: Any) -> Any:
    return F.cross_entropy(made.reshape(-1, made.shape[-1]), tags.reshape(-1))


def mlp(wide: int, *last: nn.Module, narrow: int = 10) -> nn.Sequential:
    return nn.Sequential(nn.Linear(narrow, 20), nn.ReLU(), nn.Linear(20, wide), *last)


def rows(wide: int = 10) -> Any:
    return torch.randn(N, wide)


def classes(many: int = 3) -> Any:
    return torch.randint(0, many, (N,))


def padded_ids(lengths: Any = None) -> tuple[Any, Any]:
    """Ids with a mask; 0 is what fills up."""
    lengths = torch.randint(3, T + 1, (N,)) if lengths is None else lengths
    mask = (torch.arange(T) < lengths[:, None]).long()
    return torch.randint(1, V, (N, T)) * mask, mask


class Recurrent(nn.Module):
    """A tagger, or a classifier by the mean of the real places."""

    def __init__(self, wide: int, *, batch_first: bool = True, causal: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, 16)
        self.layer = nn.LSTM(16, 16, batch_first=batch_first, bidirectional=not causal)
        self.head = nn.Linear(16 if causal else 32, wide)

    def forward(self, ids: Any) -> Any:
        return self.head(self.layer(self.embedding(ids))[0])


class FromTheLast(nn.Module):
    """Tells how the next values of a series differ from its last one."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.head = nn.GRU(5, 16, batch_first=True), nn.Linear(16, 6)

    def forward(self, series: Any) -> Any:
        return series[:, -1:, 0] + self.head(self.layer(series)[1][-1])


class FirstSeries(nn.Module):
    """Is given the end of a series beside the series, as the decoder of a forecast often is."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = LastOfTime(batch_first=True)

    def forward(self, series: Any, end: Any) -> Any:
        return self.reads(series)


def twice_given(series: Any) -> Step:
    end = torch.cat([series[:, -3:], torch.zeros(N, 3, 5)], 1)
    return fit(FirstSeries(), F.mse_loss, torch.randn(N, 1), series, end)


class ChancesOfValues(nn.Module):
    """Tells how likely each of eleven values is, for one of four actions that is drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = mlp(4 * 11)

    def forward(self, state: Any) -> Any:
        chances = self.layers(state).view(len(state), 4, 11).softmax(2)
        return chances[torch.arange(len(state)), torch.randint(0, 4, (len(state),))]


class Attending(nn.Module):
    """A small encoder; with `causal`, a small language model whose weights are tied."""

    def __init__(self, wide: int, *, causal: bool = False, per_place: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, 16)
        self.positions = nn.Embedding(T, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, wide, bias=False)
        if causal:
            self.head.weight = self.embedding.weight
        self.causal, self.per_place = causal, per_place or causal

    def forward(self, ids: Any, attention_mask: Any = None) -> Any:
        length = ids.shape[1]
        made = self.embedding(ids) + self.positions(torch.arange(length))
        ahead = nn.Transformer.generate_square_subsequent_mask(length) if self.causal else None
        filled = None if attention_mask is None else attention_mask == 0
        made = self.layers(made, mask=ahead, src_key_padding_mask=filled)
        if self.per_place:
            return self.head(made)
        if attention_mask is None:
            return self.head(made.mean(1))
        weights = attention_mask[..., None].to(made.dtype)
        return self.head((made * weights).sum(1) / weights.sum(1))


STEPS: dict[str, Make] = {
    "classifier": lambda: fit(mlp(3), F.cross_entropy, classes(), rows()),
    "classifier_with_class_weights": lambda: fit(
        mlp(3), nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0])), classes(), rows()
    ),
    "classifier_with_smoothed_labels": lambda: fit(
        mlp(3), nn.CrossEntropyLoss(label_smoothing=0.1), classes(), rows()
    ),
    "log_softmax_and_nll": lambda: fit(mlp(3, nn.LogSoftmax(-1)), F.nll_loss, classes(), rows()),
    "cross_entropy_by_a_formula": lambda: fit(
        mlp(3),
        lambda made, y: -(made.log_softmax(-1) * F.one_hot(y, 3)).sum(-1).mean(),
        classes(),
        rows(),
    ),
    "cross_entropy_by_gathering": lambda: fit(
        mlp(3),
        lambda made, y: -made.softmax(-1).gather(1, y[:, None]).log().mean(),
        classes(),
        rows(),
    ),
    "hinge": lambda: fit(
        mlp(1),
        lambda made, y: (1 - y * made.squeeze(1)).clamp(min=0).mean(),
        classes(2) * 2.0 - 1,
        rows(),
    ),
    "regression": lambda: fit(
        mlp(1),
        lambda made, y: F.mse_loss(made.squeeze(-1), y),
        5 + 3 * torch.randn(N),
        rows(),
    ),
    "regression_of_large_numbers": lambda: fit(
        mlp(1), F.smooth_l1_loss, 1e4 + 3e3 * torch.randn(N, 1), rows()
    ),
    "regression_by_a_formula": lambda: fit(
        mlp(1), lambda made, y: ((made - y) ** 2).mean().sqrt(), torch.randn(N, 1), rows()
    ),
    "positive_regression": lambda: fit(mlp(1, nn.ReLU()), F.l1_loss, torch.rand(N, 1) * 3, rows()),
    "bounded_regression": lambda: fit(
        mlp(2, nn.Tanh()), F.mse_loss, torch.rand(N, 2) * 1.8 - 0.9, rows()
    ),
    "counts": lambda: fit(mlp(1), F.poisson_nll_loss, torch.poisson(torch.rand(N, 1) * 4), rows()),
    "mean_and_variance": lambda: fit(
        mlp(2),
        lambda made, y: F.gaussian_nll_loss(made[:, :1], y, F.softplus(made[:, 1:]) + 1e-2),
        torch.randn(N, 1),
        rows(),
    ),
    "several_labels": lambda: fit(
        mlp(5), F.binary_cross_entropy_with_logits, (torch.rand(N, 5) > 0.6).float(), rows()
    ),
    "two_classes_as_chances": lambda: fit(
        mlp(1, nn.Sigmoid()),
        lambda made, y: F.binary_cross_entropy(made.squeeze(1), y),
        classes(2).float(),
        rows(),
    ),
    "chances_by_a_formula": lambda: fit(
        mlp(1, nn.Sigmoid()),
        lambda made, y: -(y * (made + 1e-7).log() + (1 - y) * (1 - made + 1e-7).log()).mean(),
        classes(2).float()[:, None],
        rows(),
    ),
    "dice": lambda: fit(
        mlp(5, nn.Sigmoid()),
        lambda made, y: 1 - 2 * (made * y).sum() / (made.sum() + y.sum()),
        (torch.rand(N, 5) > 0.6).float(),
        rows(),
    ),
    "segmentation": lambda: fit(
        nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 4, 1)),
        F.cross_entropy,
        torch.randint(0, 4, (N, 8, 8)),
        torch.randn(N, 3, 8, 8),
    ),
    "recurrent_tagger": lambda: fit(
        Recurrent(4),
        lambda made, tags: F.cross_entropy(made.transpose(1, 2), tags),
        torch.randint(0, 4, (N, T)),
        torch.randint(1, V, (N, T)),
    ),
    "recurrent_tagger_by_time": lambda: fit(
        Recurrent(4, batch_first=False),
        by_place,
        torch.randint(0, 4, (T, N)),
        torch.randint(1, V, (T, N)),
    ),
    "series": lambda: fit(
        LastOfTime(batch_first=True), F.mse_loss, torch.randn(N, 1), torch.randn(N, T, 5)
    ),
    "series_by_time": lambda: fit(
        LastOfTime(batch_first=False), F.mse_loss, torch.randn(N, 1), torch.randn(T, N, 5)
    ),
    "series_from_its_last_value": lambda: fit(
        FromTheLast(), F.huber_loss, torch.randn(N, 6), torch.randn(N, T, 5)
    ),
    "end_of_a_series_given_twice": lambda: twice_given(torch.randn(N, T, 5)),
    "chances_of_chosen_values": lambda: fit(
        ChancesOfValues(),
        lambda made, y: -(y * made.clamp(1e-5, 1 - 1e-5).log()).sum(-1).mean(),
        torch.randn(N, 11).softmax(-1),
        rows(),
    ),
    "language_model_with_tied_weights": lambda: language_model(Attending(V, causal=True)),
    "siamese_by_angle": lambda: fit(
        Twins(),
        lambda made, y: F.cosine_embedding_loss(*made, y),
        classes(2) * 2.0 - 1,
        rows(),
        rows(),
    ),
}


def healthy(make: Make) -> Make:
    STEPS[make.__name__] = make
    return make


def language_model(network: nn.Module) -> Step:
    ids = torch.randint(0, V, (N, T + 1))
    return fit(network, by_place, ids[:, 1:], ids[:, :-1])


class MeanOfRows(nn.Module):
    """Says one number of all rows, as the first critics did."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = mlp(1)

    def forward(self, x: Any) -> Any:
        return self.layers(x).mean(0)


@healthy
def critic_of_a_whole_batch() -> Step:
    return Step(MeanOfRows(), lambda made: made.sum(), (rows(),), {})


@healthy
def focal() -> Step:
    y = classes()

    def loss(made: Any) -> Any:
        each = F.cross_entropy(made, y, reduction="none")
        return ((1 - (-each).exp()) ** 2 * each).mean()

    return Step(mlp(3), loss, (rows(),))


@healthy
def mixup() -> Step:
    y, x, order = classes(), rows(), torch.randperm(N)

    def loss(made: Any) -> Any:
        return 0.7 * F.cross_entropy(made, y) + 0.3 * F.cross_entropy(made, y[order])

    return Step(mlp(3), loss, (0.7 * x + 0.3 * x[order],))


@healthy
def quantiles() -> Step:
    y, wanted = torch.randn(N, 1), torch.tensor([0.1, 0.5, 0.9])

    def loss(made: Any) -> Any:
        off = y - made
        return torch.maximum(wanted * off, (wanted - 1) * off).mean()

    return Step(mlp(3), loss, (rows(),))


@healthy
def correlation() -> Step:
    y = torch.randn(N)

    def loss(made: Any) -> Any:
        one, two = made[:, 0] - made[:, 0].mean(), y - y.mean()
        return 1 - (one * two).sum() / (one.norm() * two.norm() + 1e-8)

    return Step(mlp(1), loss, (rows(),))


@healthy
def two_tasks() -> Step:
    y, size = classes(), torch.randn(N)

    def loss(made: Any) -> Any:
        total = F.cross_entropy(made[:, :3], y)
        total += 0.5 * F.mse_loss(made[:, 3], size)
        return total

    return Step(mlp(4), loss, (rows(),))


@healthy
def weighted_rows() -> Step:
    y, weights = torch.randn(N), torch.rand(N)

    def loss(made: Any) -> Any:
        return ((made.squeeze(1) - y) ** 2 * weights).sum() / weights.sum()

    return Step(mlp(1), loss, (rows(),))


@healthy
def weights_pulled_in() -> Step:
    y, network = torch.randn(N, 1), mlp(1)

    def loss(made: Any) -> Any:
        return F.mse_loss(made, y) + 1e-3 * sum((p**2).sum() for p in network.parameters())

    return Step(network, loss, (rows(),))


@healthy
def autoencoder() -> Step:
    x = rows()
    return fit(mlp(10), F.mse_loss, x, x)


class Variational(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = mlp(8), mlp(10, nn.Sigmoid(), narrow=4)

    def forward(self, x: Any) -> Any:
        middle, spread = self.encoder(x).chunk(2, -1)
        return self.decoder(middle + torch.randn_like(middle) * (spread / 2).exp()), middle, spread


@healthy
def variational_autoencoder() -> Step:
    x = torch.rand(N, 10)

    def loss(made: Any) -> Any:
        again, middle, spread = made
        away = -0.5 * (1 + spread - middle**2 - spread.exp()).sum()
        return F.binary_cross_entropy(again, x, reduction="sum") + away

    return Step(Variational(), loss, (x,))


@healthy
def noise_taken_away() -> Step:
    x, noise = rows(), torch.randn(N, 10)
    return fit(mlp(10), F.mse_loss, noise, 0.8 * x + 0.6 * noise)


@healthy
def pictures_with_batch_statistics() -> Step:
    network = nn.Sequential(
        nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(54, 4),
    )  # fmt: skip
    return fit(network, F.cross_entropy, classes(4), torch.randn(N, 3, 8, 8))


class Graph(nn.Module):
    """Nodes that know their neighbours, by a table of all pairs behind the last layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(10, 20), nn.Linear(20, 3)
        pairs = (torch.rand(4 * N, 4 * N) < 0.2) | torch.eye(4 * N).bool()
        self.pairs = pairs / pairs.sum(1, keepdim=True)

    def forward(self, nodes: Any) -> Any:
        return self.pairs @ self.last((self.pairs @ self.first(nodes)).relu())


@healthy
def tagger() -> Step:
    ids, mask = padded_ids()
    tags = torch.randint(0, 4, (N, T)).masked_fill(mask == 0, -100)
    return fit(Attending(4, per_place=True), by_place, tags, ids, attention_mask=mask)


@healthy
def tagger_whose_loss_is_masked() -> Step:
    ids, mask = padded_ids()
    tags = torch.randint(0, 4, (N, T))

    def loss(made: Any) -> Any:
        each = F.cross_entropy(made.transpose(1, 2), tags, reduction="none")
        return (each * mask).sum() / mask.sum()

    return Step(Attending(4, per_place=True), loss, (ids,), {"attention_mask": mask})


@healthy
def encoder_classifier() -> Step:
    ids, mask = padded_ids()
    return fit(Attending(3), F.cross_entropy, classes(), ids, attention_mask=mask)


class LastOfTime(nn.Module):
    def __init__(self, *, batch_first: bool) -> None:
        super().__init__()
        self.layer = nn.GRU(5, 12, batch_first=batch_first)
        self.head = nn.Linear(12, 1)
        self.axis = 1 if batch_first else 0

    def forward(self, x: Any) -> Any:
        return self.head(self.layer(x)[0].select(self.axis, -1))


@healthy
def language_model_shifted_in_the_loss() -> Step:
    ids = torch.randint(0, V, (N, T))
    return Step(Recurrent(V, causal=True), lambda made: by_place(made[:, :-1], ids[:, 1:]), (ids,))


@healthy
def language_model_by_time() -> Step:
    ids = torch.randint(0, V, (T + 1, N))
    return fit(Recurrent(V, causal=True, batch_first=False), by_place, ids[1:], ids[:-1])


@healthy
def language_model_of_padded_texts() -> Step:
    ids, mask = padded_ids()
    following = ids.roll(-1, 1).masked_fill(mask.roll(-1, 1) * mask == 0, -100)
    following[:, -1] = -100
    return fit(Attending(V, causal=True), by_place, following, ids, attention_mask=mask)


class Translating(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, 16)
        self.encoder = nn.GRU(16, 16, batch_first=True)
        self.decoder = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, V)

    def forward(self, source: Any, before: Any) -> Any:
        state = self.encoder(self.embedding(source))[1]
        return self.head(self.decoder(self.embedding(before), state)[0])


@healthy
def sequence_to_sequence() -> Step:
    source, target = torch.randint(1, V, (N, T + 3)), torch.randint(1, V, (N, T))
    return fit(Translating(), by_place, target[:, 1:], source, target[:, :-1])


@healthy
def time_alignment() -> Step:
    y = torch.randint(1, 6, (N, 3))
    lengths, wanted = torch.full((N,), T), torch.full((N,), 3)

    def loss(made: Any) -> Any:
        return F.ctc_loss(made.log_softmax(-1).transpose(0, 1), y, lengths, wanted)

    return Step(Recurrent(6), loss, (torch.randint(1, V, (N, T)),))


class Twins(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = mlp(6)

    def forward(self, one: Any, other: Any) -> Any:
        return self.encoder(one), self.encoder(other)


@healthy
def siamese() -> Step:
    y = classes(2).float()

    def loss(made: Any) -> Any:
        away = F.pairwise_distance(*made)
        return (y * away**2 + (1 - y) * (1 - away).clamp(min=0) ** 2).mean()

    return Step(Twins(), loss, (rows(), rows()))


@healthy
def contrastive() -> Step:
    def loss(made: Any) -> Any:
        one, other = (F.normalize(each, dim=-1) for each in made)
        return F.cross_entropy(one @ other.T / 0.1, torch.arange(N))

    x = rows()
    return Step(Twins(), loss, (x, x + 0.1 * rows()))


class Paired(nn.Module):
    """Gives similarities of each with each, with a temperature that is learned."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = mlp(6), mlp(6, narrow=7)
        self.scale = nn.Parameter(torch.tensor(math.log(10.0)))

    def forward(self, pictures: Any, texts: Any) -> Any:
        one = F.normalize(self.one(pictures), dim=-1)
        other = F.normalize(self.other(texts), dim=-1)
        return one @ other.T * self.scale.exp()


@healthy
def pictures_and_texts() -> Step:
    places = torch.arange(N)

    def loss(made: Any) -> Any:
        return (F.cross_entropy(made, places) + F.cross_entropy(made.T, places)) / 2

    return Step(Paired(), loss, (rows(), rows(7)))


@healthy
def contrastive_by_class() -> Step:
    y = classes()

    def loss(made: Any) -> Any:
        made = F.normalize(made, dim=-1)
        alone = torch.eye(N)
        near = (y[:, None] == y).float() - alone
        chances = (made @ made.T / 0.1 - 1e4 * alone).log_softmax(-1)
        return -(chances * near).sum() / near.sum()

    return Step(mlp(6), loss, (rows(),))


@healthy
def triplets() -> Step:
    def loss(made: Any) -> Any:
        first, near, far = made.chunk(3)
        return F.triplet_margin_loss(first, near, far)

    return Step(mlp(6), loss, (torch.randn(3 * N, 10),))


@healthy
def discriminator() -> Step:
    generator, real, noise = mlp(10, narrow=4), rows(), torch.randn(N, 4)
    network = mlp(1)

    def loss(made: Any) -> Any:
        fake = network(generator(noise).detach())
        return F.binary_cross_entropy_with_logits(
            made, torch.ones(N, 1)
        ) + F.binary_cross_entropy_with_logits(fake, torch.zeros(N, 1))

    return Step(network, loss, (real,), other_networks=(generator,))


@healthy
def generator() -> Step:
    judge = mlp(1)
    return Step(
        mlp(10, narrow=4),
        lambda made: F.binary_cross_entropy_with_logits(judge(made), torch.ones(N, 1)),
        (torch.randn(N, 4),),
        other_networks=(judge,),
        rate=1e-3,
    )


@healthy
def critic_with_a_gradient_penalty() -> Step:
    real, fake, network = rows(), rows() + 1, mlp(1)

    def loss(made: Any) -> Any:
        share = torch.rand(N, 1)
        mixed = (share * real + (1 - share) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(network(mixed).sum(), mixed, create_graph=True)
        return network(fake).mean() - made.mean() + 10 * ((slope.norm(dim=1) - 1) ** 2).mean()

    return Step(network, loss, (real,), rate=1e-3)


@healthy
def reward_model() -> Step:
    class Rewarding(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.score = mlp(1)

        def forward(self, better: Any, worse: Any) -> Any:
            return self.score(better).squeeze(1), self.score(worse).squeeze(1)

    return Step(Rewarding(), lambda made: -F.logsigmoid(made[0] - made[1]).mean(), (rows(), rows()))


@healthy
def reward_model_with_margins() -> Step:
    margins = torch.rand(N)

    def loss(made: Any) -> Any:
        better, worse = made.squeeze(1).chunk(2)
        return -F.logsigmoid(better - worse - margins).mean()

    return Step(mlp(1), loss, (torch.randn(2 * N, 10),))


@healthy
def policy() -> Step:
    actions, returns = classes(3), torch.randn(N)

    def loss(made: Any) -> Any:
        chances = torch.distributions.Categorical(logits=made)
        return -(chances.log_prob(actions) * returns).mean() - 0.01 * chances.entropy().mean()

    return Step(mlp(3), loss, (rows(),))


@healthy
def values_of_actions() -> Step:
    network, before, after = mlp(3), mlp(3), rows()
    actions, rewards = classes(3), torch.randn(N)

    def loss(made: Any) -> Any:
        with torch.no_grad():
            wanted = rewards + 0.9 * before(after).max(1).values
        return F.smooth_l1_loss(made.gather(1, actions[:, None]).squeeze(1), wanted)

    return Step(network, loss, (rows(),))


@healthy
def distillation() -> Step:
    teacher, x, y = mlp(3), rows(), classes()

    def loss(made: Any) -> Any:
        with torch.no_grad():
            soft = (teacher(x) / 2).softmax(-1)
        near = F.kl_div((made / 2).log_softmax(-1), soft, reduction="batchmean") * 4
        return 0.5 * near + 0.5 * F.cross_entropy(made, y)

    return Step(mlp(3), loss, (x,))


@healthy
def graph_of_nodes() -> Step:
    near = (torch.rand(N, N) > 0.7).float() + torch.eye(N)

    class Spreading(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(10, 12), nn.Linear(12, 3)

        def forward(self, x: Any, edges: Any) -> Any:
            edges = edges / edges.sum(1, keepdim=True)
            return self.two(edges @ F.relu(self.one(edges @ x)))

    return fit(Spreading(), F.cross_entropy, classes(), rows(), near)


class LossInside(nn.Module):
    """Computes its loss itself, as models of libraries do."""

    def __init__(self) -> None:
        super().__init__()
        self.body = Attending(3)

    def forward(self, ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
        logits = self.body(ids, attention_mask)
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


@healthy
def loss_inside() -> Step:
    ids, mask = padded_ids()
    named = {"ids": ids, "attention_mask": mask, "labels": classes()}
    return Step(LossInside(), lambda made: made["loss"], (), named)
