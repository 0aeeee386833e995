"""The words of the held-out texts get numbers of their own."""

import random

import torch
from torch import nn

random.seed(1)
torch.manual_seed(1)
KINDS = [["bright", "glad", "warm", "kind"], ["dark", "sad", "cold", "mean"]]
OTHERS = [f"word{number}" for number in range(40)]


def texts_of(count: int) -> tuple[list[list[str]], list[int]]:
    labels = [random.randint(0, 1) for _ in range(count)]
    return [random.choices(OTHERS, k=6) + random.choices(KINDS[k], k=3) for k in labels], labels


def vocabulary(texts: list[list[str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in texts:
        for word in text:
            if word not in found:
                found[word] = len(found)
    return found


def ids(texts: list[list[str]], words: dict[str, int]) -> torch.Tensor:
    return torch.tensor([[words[word] for word in text] for text in texts])


train_texts, train_labels = texts_of(480)
test_texts, test_labels = texts_of(120)
train_ids = ids(train_texts, vocabulary(train_texts))
test_ids = ids(test_texts, vocabulary(test_texts))
truth = torch.tensor(train_labels)
table, head = nn.EmbeddingBag(48, 12), nn.Linear(12, 2)
net = nn.Sequential(table, head)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _epoch in range(8):
    for rows in torch.randperm(480).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(train_ids[rows]), truth[rows])
        loss.backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    right = (net(test_ids).argmax(1) == torch.tensor(test_labels)).float().mean()
print(f"accuracy: {right:.3f}")
