"""Folds that begin anew: with another network, in two stages, or with its first weights."""

import copy

import torch
from sklearn.model_selection import KFold
from torch import nn

torch.manual_seed(0)
points = torch.randn(240, 10)
kinds = (points[:, 0] + points[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
first = copy.deepcopy(net.state_dict())


def fit(model: nn.Module, rows: torch.Tensor, rate: float) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(8):
        for batch in rows[torch.randperm(len(rows))].split(30):
            loss = nn.functional.cross_entropy(model(points[batch]), kinds[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


@torch.no_grad()
def score(model: nn.Module, rows: torch.Tensor) -> float:
    return (model(points[rows]).argmax(1) == kinds[rows]).float().mean().item()


def drawn(model: nn.Module) -> None:
    """Draw the weights again, past what counts their changes."""
    for layer in model:
        if isinstance(layer, nn.Linear):
            layer.weight.data.normal_(0, 0.3)
            layer.bias.data.zero_()


folds = [map(torch.as_tensor, each) for each in KFold(4).split(points)]
for number, (shown, kept) in enumerate(folds):
    if number % 2:
        net.load_state_dict(first)
    else:
        drawn(net)
    fit(net, shown, 0.01)
    print("one network, set back", score(net, kept))
for shown, kept in KFold(4, shuffle=True, random_state=0).split(points):
    other = copy.deepcopy(net)
    drawn(other)
    fit(other, torch.as_tensor(shown), 0.01)
    fit(other, torch.as_tensor(shown), 0.001)
    print("two stages", score(other, torch.as_tensor(kept)))
