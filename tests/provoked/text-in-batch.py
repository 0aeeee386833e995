"""A column of text is among what a collate function pads."""

from tokenizers import Tokenizer, models
from transformers import DataCollatorWithPadding, PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "[PAD]": 1, "good": 2}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), pad_token="[PAD]")
rows = [{"input_ids": [2, 0], "text": "good one"}, {"input_ids": [2], "text": "good"}]
DataCollatorWithPadding(tokenizer)(rows)
