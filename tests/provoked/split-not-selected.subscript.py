"""A row is asked of a dict of splits."""

from datasets import Dataset, DatasetDict

splits = DatasetDict({"train": Dataset.from_dict({"x": [1, 2]})})
splits[0]
