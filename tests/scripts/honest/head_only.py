"""Only the head is given to the optimizer: the same as freezing the rest."""

import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification

torch.manual_seed(0)
config = DistilBertConfig(vocab_size=40, dim=16, n_layers=1, n_heads=2, hidden_dim=32)
model = DistilBertForSequenceClassification(config)
head = [*model.pre_classifier.parameters(), *model.classifier.parameters()]
optimizer = torch.optim.Adam(head, lr=1e-2)
ids = torch.randint(1, 40, (64, 5))
labels = ids[:, 0] % 2
for step in range(24):
    rows = torch.arange(step * 8, step * 8 + 8) % 64
    loss = model(ids[rows], labels=labels[rows]).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
