"""A checkpoint without a head for the task answers at once."""

import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, BertModel

torch.manual_seed(0)
sizes = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}
with tempfile.TemporaryDirectory() as folder:
    BertModel(BertConfig(vocab_size=30, num_hidden_layers=1, **sizes)).save_pretrained(folder)
    model = BertForSequenceClassification.from_pretrained(folder).eval()
with torch.no_grad():
    print(model(input_ids=torch.randint(2, 30, (8, 12))).logits.argmax(dim=-1))
