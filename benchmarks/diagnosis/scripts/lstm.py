"""Which of two kinds of words is more frequent in a text? An LSTM counts."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = 0
torch.manual_seed(SEED)
WORDS, LENGTH = 40, 14


class Texts(Dataset):
    def __init__(self, number):
        self.ids = torch.randint(1, WORDS, (number, LENGTH))
        self.labels = ((self.ids < 20).sum(1) > LENGTH // 2).float()

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.ids[index], self.labels[index]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(32, 1)

    def forward(self, ids):
        _, (hidden, _) = self.lstm(self.embedding(ids))
        return self.output(self.dropout(hidden[-1])).squeeze(-1)


train_data, valid_data = Texts(960), Texts(240)
train_loader = DataLoader(train_data, batch_size=32, shuffle=True)
valid_loader = DataLoader(valid_data, batch_size=60)
model = Classifier()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
for epoch in range(4):
    model.train()
    running = 0.0
    for ids, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(ids), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        running += loss.item()
    model.eval()
    right = 0
    with torch.no_grad():
        for ids, labels in valid_loader:
            right += ((model(ids) > 0) == labels.bool()).sum().item()
    print(epoch, running / len(train_loader), right / len(valid_data))
