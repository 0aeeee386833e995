# my own dataset class with __getitem__ that tokenizes, DataLoader, plain loop in a class
import os
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset as TorchDataset
from datasets import load_dataset
from transformers import AutoTokenizer, AutoModel

CKPT = os.getenv("CKPT", "distilbert-base-uncased")


class Pairs(TorchDataset):
    def __init__(self, hf, tok):
        self.hf, self.tok = hf, tok

    def __len__(self):
        return len(self.hf)

    def __getitem__(self, i):
        row = self.hf[i]
        e = self.tok(row["premise"], row["hypothesis"], truncation=True, max_length=50, padding="max_length", return_tensors="pt")
        return e["input_ids"].squeeze(0), e["attention_mask"].squeeze(0), row["label"]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = AutoModel.from_pretrained(CKPT)
        self.out = nn.Linear(self.bert.config.hidden_size, 3)

    def forward(self, ids, mask):
        h = self.bert(ids, attention_mask=mask)[0]
        m = mask.unsqueeze(-1).float()
        return self.out((h * m).sum(1) / m.sum(1))


class Learner:
    def __init__(self, lr=1e-4, bs=16, epochs=3):
        torch.manual_seed(1)
        tok = AutoTokenizer.from_pretrained(CKPT)
        ds = load_dataset("glue", "mnli")
        self.train = DataLoader(Pairs(ds["train"], tok), bs, shuffle=True)
        self.valid = DataLoader(Pairs(ds["validation_matched"], tok), 64)
        self.net = Net()
        self.opt = optim.AdamW(self.net.parameters(), lr)
        self.loss = nn.CrossEntropyLoss()
        self.epochs = epochs

    def fit(self):
        for e in range(self.epochs):
            self.net.train()
            tot = 0.0
            for ids, mask, y in self.train:
                self.opt.zero_grad(set_to_none=True)
                l = self.loss(self.net(ids, mask), y)
                l.backward()
                self.opt.step()
                tot += l.item()
            print(f"Epoch {e}: loss {tot/len(self.train):.3f}, acc {self.score():.3f}")

    @torch.no_grad()
    def score(self):
        self.net.eval()
        ok = n = 0
        for ids, mask, y in self.valid:
            ok += (self.net(ids, mask).argmax(1) == y).sum().item(); n += len(y)
        return ok / n


if __name__ == "__main__":
    Learner().fit()
