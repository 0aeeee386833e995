"""The same with PyTorch's own files."""

from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, classes)


Net(3).load_state_dict(Net(10).state_dict())
