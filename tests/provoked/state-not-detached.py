"""The hidden state of one batch goes into the next with its graph."""

import torch
from torch import nn

lstm, head, state = nn.LSTM(3, 8), nn.Linear(8, 1), None
for _step in range(2):
    outputs, state = lstm(torch.randn(5, 2, 3), state)
    head(outputs).pow(2).mean().backward()
