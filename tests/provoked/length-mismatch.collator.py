"""Token ids of two lengths, and a collate function that is told not to pad."""

from tokenizers import Tokenizer, models
from transformers import DataCollatorWithPadding, PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "[PAD]": 1, "good": 2}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), pad_token="[PAD]")
DataCollatorWithPadding(tokenizer, padding=False)([{"input_ids": [2, 0]}, {"input_ids": [2]}])
