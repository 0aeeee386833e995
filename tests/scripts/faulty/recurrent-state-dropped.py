"""A network goes on with a text, and each character begins with a state of zeros."""

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


net = Characters()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for _step in range(120):
    begins = torch.randint(0, len(text) - 13, (16,))
    window = torch.stack([text[begin : begin + 13] for begin in begins])
    outputs, _last = net(window[:, :-1])
    optimizer.zero_grad()
    nn.functional.cross_entropy(outputs.flatten(0, 1), window[:, 1:].flatten()).backward()
    optimizer.step()
net.eval()
written = [0]
with torch.no_grad():
    current = torch.zeros(1, 1, dtype=torch.long)
    for _turn in range(24):
        outputs, _state = net(current)
        current = outputs[:, -1:].argmax(-1)
        written.append(current.item())
print(written)
