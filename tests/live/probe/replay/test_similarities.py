"""Losses of similarities and of what is drawn around a mean, as they are often written."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.distributions import Normal, kl_divergence
from torch.nn.functional import cosine_similarity, cross_entropy, linear, normalize

from course_probe.replay.deviations import variances_as_deviations
from course_probe.replay.similarities import similarities

N = 16
ALL = torch.arange(2 * N)
PARTNER = torch.cat([torch.arange(N, 2 * N), torch.arange(N)])
ITSELF = torch.eye(2 * N, dtype=torch.bool)
KINDS = torch.arange(2 * N) % 4

Made = Any


def pairs(made: Made) -> Any:
    return normalize(made) @ normalize(made).T / 0.2


def in_blocks(made: Made, *, itself: float) -> Any:
    one, other = normalize(made).split(N)
    own = one @ one.T / 0.1 - itself * torch.eye(N)
    return cross_entropy(torch.cat([one @ other.T / 0.1, own], 1), torch.arange(N))


def by_hand(made: Made, *, itself: bool) -> Any:
    powers = pairs(made).exp()
    others = powers.sum(1) if itself else powers.sum(1) - powers.diagonal()
    return -torch.log(powers[ALL, PARTNER] / (others + 1e-8)).mean()


def of_kinds(made: Made) -> Any:
    logits = pairs(made)
    same = (KINDS[:, None] == KINDS) & ~ITSELF
    of_all = logits - torch.log((logits.exp() * ~ITSELF).sum(1, keepdim=True))
    return -((of_all * same).sum(1) / same.sum(1)).mean()


def of_kinds_by(made: Made, itself: float, *, is_meant: bool = False) -> Any:
    of_all = torch.log_softmax(pairs(made) - itself * torch.eye(2 * N), 1)
    same = (KINDS[:, None] == KINDS) & (~ITSELF | is_meant)
    return -((of_all * same).sum(1) / same.sum(1)).mean()


def of_kinds_by_sum(made: Made) -> Any:
    logits = pairs(made)
    same = (KINDS[:, None] == KINDS) & ~ITSELF
    return -((logits - logits.logsumexp(1, keepdim=True)) * same).sum(1).mean()


def uniform(made: Made) -> Any:
    return torch.cdist(normalize(made), normalize(made)).pow(2).mul(-2).exp().sum(1).log().mean()


@pytest.mark.parametrize(
    ("loss", "wins"),
    [
        (lambda made: cross_entropy(pairs(made), PARTNER), True),
        (lambda made: in_blocks(made, itself=0.0), True),
        (lambda made: by_hand(made, itself=True), True),
        (lambda made: (pairs(made).logsumexp(1) - pairs(made)[ALL, PARTNER]).mean(), True),
        (lambda made: cross_entropy(pairs(made).masked_fill(ITSELF, -1e9), PARTNER), False),
        (lambda made: in_blocks(made, itself=1e9), False),
        (lambda made: by_hand(made, itself=False), False),
        (lambda made: cross_entropy(pairs(made), ALL), False),
        (lambda made: (pairs(made).logsumexp(1) - pairs(made).diagonal()).mean(), False),
        (lambda made: cross_entropy(made[:12] + 20 * torch.eye(12), (ALL + 1)[:12] % 12), False),
        (of_kinds, False),
        (of_kinds_by_sum, True),
        (lambda made: of_kinds_by(made, 0.0), True),
        (lambda made: of_kinds_by(made, 1e9), False),
        (lambda made: of_kinds_by(made, 0.0, is_meant=True), False),
        (uniform, False),
    ],
)
def test_rows_that_are_compared_with_themselves(loss: Callable[[Made], Any], *, wins: bool) -> None:
    torch.manual_seed(0)
    made = torch.nn.Linear(20, 12)(torch.randn(2 * N, 20))
    assert similarities(loss(made))["own_wins"] == float(wins)


DIRECTIONS = torch.nn.Parameter(torch.randn(300, 12))
LEARNED = torch.nn.Parameter(torch.zeros(()))


def margin(made: Made) -> Any:
    cosines = linear(normalize(made), normalize(DIRECTIONS))
    return 30 * torch.where(cosines > 0, torch.cos(torch.acos(cosines) + 0.1), cosines)


@pytest.mark.parametrize(
    ("logits", "bound"),
    [
        (lambda made: linear(normalize(made), normalize(DIRECTIONS)), 1),
        (lambda made: normalize(made) @ normalize(DIRECTIONS.detach()).T / 20, 0.05),
        (lambda made: cosine_similarity(made[:, None], DIRECTIONS[None], dim=-1), 1),
        (lambda made: 30 * normalize(made) @ normalize(DIRECTIONS).T, 30),
        (lambda made: linear(normalize(made), normalize(DIRECTIONS)) / 0.07, 1 / 0.07),
        (lambda made: LEARNED.exp() * linear(normalize(made), normalize(DIRECTIONS)), None),
        (lambda made: linear(normalize(made), DIRECTIONS), None),
        (margin, None),
    ],
)
def test_how_similar_directions_can_be(logits: Callable[[Made], Any], bound: float | None) -> None:
    torch.manual_seed(0)
    made = torch.nn.Linear(20, 12)(torch.randn(2 * N, 20))
    found = similarities(cross_entropy(logits(made), ALL))
    assert found.get("bound") == (bound and pytest.approx(bound, rel=1e-4))
    assert (found.get("best_left", 0.0) > 0.6) == (bound in (1, 0.05))


@pytest.mark.parametrize("scale", [1, 5])
@pytest.mark.parametrize("way", ["all", "selected", "times a mask"])
def test_how_narrow_a_softmax_by_hand_is(way: str, scale: int) -> None:
    torch.manual_seed(0)
    made = normalize(torch.nn.Linear(20, 12)(torch.randn(2 * N, 20)))
    powers = (made @ made.T * scale).exp()
    others = {
        "all": powers,
        "selected": powers.masked_select(~ITSELF).view(2 * N, -1),
        "times a mask": powers * ~ITSELF,
    }[way]
    found = similarities(-torch.log(powers[ALL, PARTNER] / others.sum(1)).mean())
    assert found["bound"] == pytest.approx(scale, rel=1e-4)
    assert (found["best_left"] > 0.4) == (scale == 1)


def divergence(mean: Any, log: Any) -> Any:
    return -0.5 * (1 + log - mean.pow(2) - log.exp()).sum(1).mean()


def of_deviations(mean: Any, log: Any) -> Any:
    return (0.5 * (mean**2 + (2 * log).exp() - 1) - log).sum()


def likelihood(mean: Any, log: Any) -> Any:
    return (0.5 * (log + mean**2 * torch.exp(-log))).mean()


def known(mean: Any, log: Any) -> Any:
    return kl_divergence(Normal(mean, log.exp()), Normal(0, 1)).sum(1).mean()


@pytest.mark.parametrize(
    ("factor", "term", "count"),
    [
        (torch.exp, divergence, 1),
        (lambda log: log.clamp(-5, 5).exp(), divergence, 1),
        (lambda log: torch.exp(0.5 * log), divergence, 0),
        (lambda log: torch.exp(log).sqrt(), divergence, 0),
        (torch.exp, of_deviations, 0),
        (torch.exp, likelihood, 0),
        (torch.exp, known, 0),
        (torch.exp, lambda _mean, log: log.exp().mean() - 0.1 * log.mean(), 0),
    ],
)
def test_noise_by_its_variance(
    factor: Callable[[Any], Any], term: Callable[[Any, Any], Any], count: int
) -> None:
    torch.manual_seed(0)
    encoder, decoder = torch.nn.Linear(20, 8), torch.nn.Linear(4, 20)
    rows = torch.randn(N, 20)
    both = encoder(rows)
    mean, log = both.chunk(2, 1)
    for drawn in (mean + torch.randn_like(mean) * factor(log), Normal(mean, factor(log)).rsample()):
        for weight in (0.1, 0):
            loss = (decoder(drawn) - rows).pow(2).mean() + weight * term(mean, log)
            assert variances_as_deviations(loss) == count
    drawn = both[:, :4] + factor(both[:, 4:]) * torch.randn(N, 4)
    loss = (decoder(drawn) - rows).pow(2).mean() + term(both[:, :4], both[:, 4:])
    assert variances_as_deviations(loss) == count
