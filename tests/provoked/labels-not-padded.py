"""Token ids are padded, the labels of the tokens are not."""

from tokenizers import Tokenizer, models
from transformers import DataCollatorWithPadding, PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "[PAD]": 1, "good": 2}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), pad_token="[PAD]")
collate = DataCollatorWithPadding(tokenizer)
collate([{"input_ids": [2, 0], "labels": [1, 0]}, {"input_ids": [2], "labels": [1]}])
