"""A transformation without a name can't be sent to a worker that is started anew."""

import torch
from torch.utils.data import DataLoader, Dataset


class Doubled(Dataset):
    def __init__(self, rows):
        self.rows, self.transform = rows, lambda row: 2 * row

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.transform(self.rows[i])


loader = DataLoader(Doubled(torch.ones(4)), num_workers=1, multiprocessing_context="spawn")
next(iter(loader))
