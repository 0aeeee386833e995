"""A padding collator gets labels that are words."""

from tokenizers import Tokenizer, models
from transformers import DataCollatorWithPadding, PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "[PAD]": 1, "good": 2}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), pad_token="[PAD]")
collate = DataCollatorWithPadding(tokenizer)
collate([{"input_ids": [2, 0], "label": "spam"}, {"input_ids": [2], "label": "ham"}])
