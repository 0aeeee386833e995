"""A model of transformers whose layers were tied by hand."""

import tempfile

from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
layers = model.bert.encoder.layer
layers[1].attention.self.query.weight = layers[0].attention.self.query.weight
model.save_pretrained(tempfile.mkdtemp())
