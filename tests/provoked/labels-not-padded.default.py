"""The plain collate function stacks labels of two lengths."""

from transformers import default_data_collator

rows = [{"input_ids": [5, 6], "labels": [1, 0]}, {"input_ids": [7, 8], "labels": [1]}]
default_data_collator(rows)
