"""Losses, scores and a whole network compiled in one graph, where nothing may break it."""

import torch
import torch.nn.functional as F
from torch import nn
from torch._dynamo.utils import counters

torch.manual_seed(4)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 8)
        self.mix = nn.Linear(8, 8)
        self.tags = nn.Linear(8, 5)

    def forward(self, ids):
        hidden = torch.relu(self.mix(self.words(ids)))
        scores = self.tags(hidden)
        return scores.masked_fill((ids == 0)[..., None], 0.0)


net = torch.compile(Tagger(), backend="eager", fullgraph=True)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)


@torch.compile(backend="eager", fullgraph=True)
def right(scores, tags):
    return (torch.softmax(scores, -1).max(-1).indices == tags).float().mean()


@torch.compile(backend="eager", fullgraph=True)
def distance(one, other):
    return F.mse_loss(one, other) + F.l1_loss(one, other) + F.smooth_l1_loss(one, other)


for _ in range(10):
    ids = torch.randint(1, 30, (4, 9))
    tags = ids % 5
    scores = net(ids)
    loss = F.cross_entropy(scores.flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    share = right(net(ids), tags)
    apart = distance(scores.detach(), torch.zeros(4, 9, 5))
COUNTS = {
    "graphs": counters["stats"]["unique_graphs"],
    "breaks": sum(counters["graph_break"].values()),
}
print(COUNTS, f"{share:.3f} {apart:.3f}")
