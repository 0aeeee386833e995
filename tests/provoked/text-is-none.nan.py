"""A table's gap is a NaN among the texts."""

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "good": 1}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), unk_token="[UNK]")
tokenizer(["good film", float("nan")], padding=False)
