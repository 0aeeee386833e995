"""A step compiled with graph breaks allowed; the code that was traced is asked how often."""

import torch
from torch import nn
from torch._dynamo.utils import counters

torch.manual_seed(3)
net = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Dropout(0.2), nn.Linear(12, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)


@torch.compile(backend="aot_eager")
def loss_of(rows, labels):
    scores = net(rows)
    return nn.functional.cross_entropy(scores, labels), scores.argmax(-1)


for _ in range(15):
    rows = torch.randn(24, 6)
    labels = rows[:, :4].argmax(1)
    loss, answers = loss_of(rows, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
COUNTS = {
    "graphs": counters["stats"]["unique_graphs"],
    "breaks": sum(counters["graph_break"].values()),
}
print(COUNTS, f"{(answers == labels).float().mean():.3f}")
