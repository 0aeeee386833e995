"""A batch of answers is compared as if it were one."""

import torch

answers, labels = torch.tensor([1, 0, 1]), torch.tensor([1, 1, 1])
if answers == labels:
    print("right")
