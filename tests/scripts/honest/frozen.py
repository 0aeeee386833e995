"""An encoder made by a configuration, frozen on purpose: only the head learns."""

import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=32, num_labels=2)  # fmt: skip
model = BertForSequenceClassification(config)
for parameter in model.bert.parameters():
    parameter.requires_grad = False
model.bert.eval()
optimizer = torch.optim.AdamW(model.classifier.parameters(), lr=5e-3)
ids = torch.randint(1, 50, (96, 6))
labels = (ids[:, 0] > 25).long()
for _epoch in range(6):
    for start in range(0, 64, 8):
        rows = slice(start, start + 8)
        loss = model(input_ids=ids[rows], labels=labels[rows]).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
model.eval()
with torch.no_grad():
    answers = model(input_ids=ids[64:]).logits.argmax(-1)
print("accuracy", (answers == labels[64:]).float().mean().item())
