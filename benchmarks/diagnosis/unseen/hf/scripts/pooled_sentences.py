"""Sentence embeddings: mean pooling, in-batch negatives (unusual: no labels, no Trainer)."""
import torch
import torch.nn.functional as F
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer

torch.manual_seed(0)
name = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(name)
encoder = AutoModel.from_pretrained(name)

data = load_dataset("glue", "mrpc")
pairs = data["train"].filter(lambda row: row["label"] == 1)
held_out = data["validation"].filter(lambda row: row["label"] == 1)


def collate(rows):
    left = tokenizer([r["sentence1"] for r in rows], padding=True, truncation=True, return_tensors="pt")
    right = tokenizer([r["sentence2"] for r in rows], padding=True, truncation=True, return_tensors="pt")
    return left, right


def embed(batch):
    hidden = encoder(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1).float()
    pooled = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
    return F.normalize(pooled, dim=-1)


@torch.no_grad()
def recall_at_one():
    encoder.eval()
    left, right = collate([held_out[i] for i in range(min(100, len(held_out)))])
    scores = embed(left) @ embed(right).T
    encoder.train()
    return (scores.argmax(1) == torch.arange(len(scores))).float().mean().item()


loader = DataLoader(pairs, batch_size=24, shuffle=True, collate_fn=collate, drop_last=True)
optimizer = torch.optim.AdamW(encoder.parameters(), lr=5e-4)
print("recall@1 before:", recall_at_one())
encoder.train()
for epoch in range(2):
    for left, right in loader:
        scores = embed(left) @ embed(right).T * 20
        target = torch.arange(len(scores))
        loss = (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}, recall@1 {recall_at_one():.3f}")
