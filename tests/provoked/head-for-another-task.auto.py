"""An encoder-decoder's configuration has no head for what is asked."""

from transformers import AutoModelForSeq2SeqLM, BertConfig

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
AutoModelForSeq2SeqLM.from_config(BertConfig(vocab_size=50, intermediate_size=8, **size))
