"""The plain collate function stacks token ids of two lengths."""

from transformers import default_data_collator

default_data_collator([{"input_ids": [5, 6], "labels": 1}, {"input_ids": [7], "labels": 0}])
