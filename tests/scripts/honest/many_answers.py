"""Monte Carlo dropout: dropout stays on while answering, and the answers are averaged."""

import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
config = BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=32, num_labels=2)  # fmt: skip
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
ids = torch.randint(1, 30, (96, 6))
labels = (ids[:, 0] > 15).long()
model.train()
for start in [*range(0, 64, 8)] * 4:
    rows = slice(start, start + 8)
    loss = model(input_ids=ids[rows], labels=labels[rows]).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
with torch.no_grad():
    samples = torch.stack([model(input_ids=ids[64:]).logits.softmax(-1) for _ in range(10)])
print("answers", samples.mean(0).argmax(-1).tolist(), "spread", samples.std(0).mean().item())
