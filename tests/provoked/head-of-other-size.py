"""A checkpoint with two outputs is loaded for five."""

import tempfile

from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
folder = tempfile.mkdtemp()
BertForSequenceClassification(
    BertConfig(vocab_size=50, intermediate_size=8, **size)
).save_pretrained(folder)
BertForSequenceClassification.from_pretrained(folder, num_labels=5)
