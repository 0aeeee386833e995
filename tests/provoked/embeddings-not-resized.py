"""Tokens were added to the tokenizer, and the model's table is as it was."""

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

words = Tokenizer(models.WordLevel({"[UNK]": 0, "good": 1}, unk_token="[UNK]"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words)
model = GPT2LMHeadModel(GPT2Config(vocab_size=2, n_embd=8, n_layer=1, n_head=2, n_positions=16))

tokenizer.add_tokens(["<name>", "<place>"])
batch = tokenizer("good <name>", return_tensors="pt", return_token_type_ids=False)
model(**batch)
