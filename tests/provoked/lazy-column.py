"""A column of a data set is no list of texts."""

from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "good": 1}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), unk_token="[UNK]")
tokenizer(Dataset.from_dict({"text": ["good", "bad"]})["text"])
