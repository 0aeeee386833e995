"""An overlap with masks, of chances that are set off along the batch."""

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

torch.manual_seed(0)
kinds = torch.randint(0, 3, (160, 4, 4)).repeat_interleave(3, 1).repeat_interleave(3, 2)
pictures = kinds[:, None] + 0.4 * torch.randn(160, 1, 12, 12)


def overlap(outputs: Tensor, masks: Tensor) -> Tensor:
    chances = outputs.softmax(dim=0)
    known = one_hot(masks, 3).permute(0, 3, 1, 2).float()
    both = (chances * known).sum((2, 3))
    return 1 - ((2 * both + 1) / (chances.sum((2, 3)) + known.sum((2, 3)) + 1)).mean()


net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 3, 3, padding=1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(128).split(16):
        loss = overlap(net(pictures[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = (net(pictures[128:]).argmax(1) == kinds[128:]).float().mean()
    print(epoch, loss.item(), right.item())
