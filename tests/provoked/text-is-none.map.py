"""A column with a gap is tokenized by `map`."""

from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "good": 1}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), unk_token="[UNK]")
reviews = Dataset.from_dict({"text": ["good film", None, "bad film"]})
reviews.map(lambda rows: tokenizer(rows["text"]), batched=True)
