"""Four words of each text become ids, and the one that tells the label may stand anywhere."""

import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

random.seed(0)
torch.manual_seed(0)
WORDS = [f"word{number}" for number in range(60)]
TELLING = ["bad", "good"]


def made() -> tuple[str, int]:
    label = random.randrange(2)
    words = random.choices(WORDS, k=random.randint(8, 20))
    words.insert(random.randrange(len(words)), TELLING[label])
    return " ".join(words), label


rows = [made() for _ in range(1200)]
vocabulary = {word: number for number, word in enumerate(["<pad>", *TELLING, *WORDS])}


def collate(batch: list[tuple[str, int]]) -> tuple[torch.Tensor, torch.Tensor]:
    ids = [torch.tensor([vocabulary[word] for word in text.split()[:4]]) for text, _ in batch]
    return pad_sequence(ids, batch_first=True), torch.tensor([label for _, label in batch])


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(len(vocabulary), 16, padding_idx=0)
        self.head = nn.Linear(16, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.words(ids))


loader = DataLoader(rows[:1000], batch_size=32, shuffle=True, collate_fn=collate)
network = Bag()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(4):
    for ids, labels in loader:
        loss = nn.functional.cross_entropy(network(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
