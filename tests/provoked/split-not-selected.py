"""A dict of splits is given where one split is wanted."""

from datasets import Dataset, DatasetDict
from torch.utils.data import DataLoader

rows = Dataset.from_dict({"x": [1, 2, 3, 4]})
splits = DatasetDict({"train": rows, "test": rows})
next(iter(DataLoader(splits, batch_size=2)))
