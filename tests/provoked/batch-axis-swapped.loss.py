"""As many outputs as time steps, as many labels as examples."""

import torch
from torch import nn

lstm, head = nn.LSTM(4, 6), nn.Linear(6, 2)
inputs, labels = torch.randn(8, 5, 4), torch.randint(0, 2, (8,))
_outputs, (last, _cell) = lstm(inputs)
nn.CrossEntropyLoss()(head(last[-1]), labels)
