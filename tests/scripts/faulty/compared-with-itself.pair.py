"""Each item has the anchor's picture in the place of another one of the same person."""

import torch
from torch import Tensor, nn

torch.manual_seed(0)
people = torch.arange(12).repeat_interleave(12)
pictures = torch.randn(12, 3, 8, 8)[people] + 0.8 * torch.randn(144, 3, 8, 8)


class Triplets(torch.utils.data.Dataset):
    """An anchor, another picture of the same person, and one of somebody else."""

    def __len__(self) -> int:
        return len(people)

    def __getitem__(self, at: int) -> tuple[Tensor, Tensor, Tensor]:
        other = (people != people[at]).nonzero()[torch.randint(132, (1,))].item()
        return pictures[at], pictures[at], pictures[other]


net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 16))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(5):
    for anchor, same, other in torch.utils.data.DataLoader(Triplets(), 24, shuffle=True):
        near = (net(anchor) - net(same)).pow(2).sum(1)
        far = (net(anchor) - net(other)).pow(2).sum(1)
        loss = (near - far + 1.0).relu().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
