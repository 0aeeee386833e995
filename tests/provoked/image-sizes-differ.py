"""Photographs as they were taken."""

import torch
from torch.utils.data import DataLoader

photographs = [torch.zeros(3, 112, 500), torch.zeros(3, 375, 500)]
for batch in DataLoader(photographs, batch_size=2):
    print(batch.shape)
