"""Labels with -100 in them are turned back into text."""

import numpy as np
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

words = models.WordLevel({"[UNK]": 0, "good": 1}, unk_token="[UNK]")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words))
tokenizer.batch_decode(np.array([[1, 0, -100, -100]]), skip_special_tokens=True)
