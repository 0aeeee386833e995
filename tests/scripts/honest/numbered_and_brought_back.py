"""Words keep the numbers of the training, others are only counted; prices are brought back."""

import random

import torch
from torch import nn

random.seed(2)
torch.manual_seed(2)
WORDS = [f"word{number}" for number in range(30)]
WORTH = {word: random.uniform(-20, 20) for word in WORDS}


def adverts(count: int) -> tuple[list[list[str]], torch.Tensor]:
    texts = [random.sample(WORDS, 5) for _ in range(count)]
    return texts, torch.tensor([200 + sum(map(WORTH.__getitem__, each)) for each in texts])


def vocabulary(texts: list[list[str]]) -> dict[str, int]:
    found = {"": 0}
    for text in texts:
        for word in text:
            if word not in found:
                found[word] = len(found)
    return found


def ids(texts: list[list[str]], words: dict[str, int]) -> torch.Tensor:
    return torch.tensor([[words.get(word, 0) for word in text] for text in texts])


train_texts, train_prices = adverts(800)
test_texts, test_prices = adverts(200)
known = vocabulary(train_texts)
print("new words:", len(set(vocabulary(test_texts)) - set(known)))
train_ids, test_ids = ids(train_texts, known), ids(test_texts, known)
mean, std = train_prices.mean(), train_prices.std()
scaled = (train_prices - mean) / std
# Half of the numbers are dropped, which is much, and usual.
net = nn.Sequential(nn.EmbeddingBag(31, 24), nn.Dropout(0.5), nn.Linear(24, 1), nn.Flatten(0))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _epoch in range(12):
    net.train()
    for rows in torch.randperm(800).split(40):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(train_ids[rows]), scaled[rows])
        loss.backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    answers = net(test_ids)
print(f"loss: {nn.functional.mse_loss(answers, (test_prices - mean) / std):.3f}")
print(f"mean absolute error: {(answers * std + mean - test_prices).abs().mean():.1f}")
