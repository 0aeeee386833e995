"""A tokenizer is given lists of words, and is not told so."""

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "good": 1}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words))
tokenizer([["a", "good", "film"], ["good"]])
