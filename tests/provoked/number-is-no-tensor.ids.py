"""A list of ids reaches a model."""

from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
model(input_ids=[[1, 2, 3]])
