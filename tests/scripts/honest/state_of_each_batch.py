"""A state that begins anew with each batch, and another one that goes on with one long series."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    """Reads series of numbers, and says what comes next."""

    def __init__(self) -> None:
        super().__init__()
        self.reader, self.last = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, series: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        read, state = self.reader(series, state)
        return self.last(read), state


torch.manual_seed(0)
wave = torch.sin(torch.arange(1201) / 3)[:, None] + 0.1 * torch.randn(1201, 1)
parts = wave[:1200].view(4, 300, 1)
following = wave[1:].view(4, 300, 1)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for _epoch in range(4):
    state = None
    for begin in range(0, 300, 30):
        made, state = net(parts[:, begin : begin + 30], state)
        state = state.detach()
        loss = nn.functional.mse_loss(made, following[:, begin : begin + 30])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for _turn in range(10):
        begins = torch.randint(0, 1170, (8,))
        pieces = torch.stack([wave[i : i + 30] for i in begins])
        made, state = net(pieces[:, :-1])
        loss = nn.functional.mse_loss(made, pieces[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
