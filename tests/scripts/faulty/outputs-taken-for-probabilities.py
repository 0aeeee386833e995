"""Raw outputs, given to the loss for logarithms of probabilities."""

import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 2)
optimizer = torch.optim.RMSprop([*lstm.parameters(), *head.parameters()], lr=1e-3)
state = None
for _step in range(30):
    texts, labels = torch.randn(4, 5, 3), torch.randint(0, 2, (4,))
    found, state = lstm(texts, state)
    state = tuple(each.detach() for each in state)
    loss = nn.functional.nll_loss(head(found[:, -1]), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
