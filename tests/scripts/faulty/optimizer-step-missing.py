"""Gradients are computed, and nothing is done with them."""

import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
config = BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=32, num_labels=2)  # fmt: skip
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
ids = torch.randint(1, 30, (64, 6))
labels = (ids[:, 0] > 15).long()
for start in [*range(0, 64, 8)] * 4:
    optimizer.zero_grad()
    loss = model(input_ids=ids[start : start + 8], labels=labels[start : start + 8]).loss
    loss.backward()
print(loss.item())
