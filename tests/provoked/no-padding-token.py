"""A tokenizer like that of GPT-2 has no padding token."""

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "good": 1}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words))
tokenizer(["good", "bad"], padding=True)
