"""The Trainer calls a model of one's own with the columns of the data."""

from datasets import Dataset
from torch import nn
from transformers import Trainer, TrainingArguments


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, inputs):
        return self.layer(inputs)


rows = Dataset.from_dict({"x": [[0.1, 0.2]] * 4, "labels": [0, 1, 0, 1]})
arguments = TrainingArguments(
    "out", report_to="none", use_cpu=True, max_steps=1, remove_unused_columns=False
)
Trainer(Net(), arguments, train_dataset=rows).train()
