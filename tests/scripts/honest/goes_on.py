"""A state goes on from step to step, or all that was written is read again."""

import torch
from torch import nn

torch.manual_seed(0)
text = torch.tensor([0, 1, 0, 2, 0, 3] * 300)


class Characters(nn.Module):
    """A recurrent network that gives its state as well."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(4, 12)
        self.memory = nn.GRU(12, 24, batch_first=True)
        self.head = nn.Linear(24, 4)

    def forward(
        self, characters: torch.Tensor, state: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Guess the next character at each place."""
        read, state = self.memory(self.table(characters), state)
        return self.head(read), state


class Copies(nn.Module):
    """A cell that says one thing again and again, each time from where it was."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(24, 24)

    def forward(self, code: torch.Tensor) -> torch.Tensor:
        """Read the same code in each step."""
        state = torch.zeros_like(code)
        said = []
        for _step in range(4):
            state = self.cell(code, state)
            said.append(state)
        return torch.stack(said, 1)


net, copies = Characters(), Copies()
optimizer = torch.optim.Adam([*net.parameters(), *copies.parameters()], lr=5e-3)
for _step in range(120):
    begins = torch.randint(0, len(text) - 13, (16,))
    window = torch.stack([text[begin : begin + 13] for begin in begins])
    outputs, last = net(window[:, :-1])
    ahead = net.head(copies(last[0]))[:, 0]
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(outputs.flatten(0, 1), window[:, 1:].flatten())
    (loss + nn.functional.cross_entropy(ahead, window[:, -1])).backward()
    optimizer.step()
net.eval()
written = [0]
with torch.no_grad():
    current, state = torch.zeros(1, 1, dtype=torch.long), None
    for _turn in range(24):
        outputs, state = net(current, state)
        current = outputs[:, -1:].argmax(-1)
        written.append(current.item())
    read = torch.zeros(1, 1, dtype=torch.long)
    for _turn in range(24):
        outputs, _state = net(read)
        read = torch.cat([read, outputs[:, -1:].argmax(-1)], 1)
print(written, read.tolist())
