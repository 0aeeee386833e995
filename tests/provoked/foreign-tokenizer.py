"""Another model's tokenizer: it has more words than the model has rows."""

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

vocabulary = {"[UNK]": 0} | {f"word{i}": i for i in range(1, 30)}
words = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, name_or_path="people/large-words")
config = GPT2Config(vocab_size=20, n_embd=8, n_layer=1, n_head=2, n_positions=16)
model = GPT2LMHeadModel(config)
model.config._name_or_path = "people/small-words"
model(**tokenizer("word5 word29", return_tensors="pt", return_token_type_ids=False))
