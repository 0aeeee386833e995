"""A mask that hides nothing."""

import torch
from transformers import BertConfig, BertForTokenClassification

torch.manual_seed(0)
sizes = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}
config = BertConfig(vocab_size=30, num_hidden_layers=1, num_labels=3, **sizes)
model = BertForTokenClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _step in range(20):
    ids = torch.randint(1, 30, (8, 12))
    for row, length in enumerate(torch.randint(4, 11, (8,)).tolist()):
        ids[row, length:] = 0
    mask = torch.ones_like(ids)
    labels = (ids % 3).masked_fill(ids == 0, -100)
    loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
