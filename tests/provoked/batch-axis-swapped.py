"""The outputs lie (time, batch), the labels (batch, time)."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.lstm, self.head = nn.Embedding(9, 4), nn.LSTM(4, 4), nn.Linear(4, 3)

    def forward(self, ids, state):
        return self.head(self.lstm(self.table(ids), state)[0])


state = (torch.zeros(1, 8, 4), torch.zeros(1, 8, 4))
Tagger()(torch.randint(0, 9, (8, 5)), state)
