# Binary task, so one output is enough: encoder + linear layer, BCEWithLogitsLoss, threshold at 0.5.
import torch
from datasets import load_dataset
from sklearn.metrics import accuracy_score, f1_score
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer, set_seed

set_seed(42)
checkpoint = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
raw = load_dataset("glue", "mrpc")
print(raw["train"].features, raw["train"][0])


def collate(rows):
    batch = tokenizer(
        [r["sentence1"] for r in rows], [r["sentence2"] for r in rows], padding=True, truncation=True, return_tensors="pt"
    )
    return batch, torch.tensor([float(r["label"]) for r in rows])


class Paraphrase(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = AutoModel.from_pretrained(checkpoint)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(self.bert.config.hidden_size, 1)

    def forward(self, batch):
        return self.out(self.drop(self.bert(**batch).pooler_output)).squeeze(-1)


model = Paraphrase()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
train = DataLoader(raw["train"], batch_size=8, shuffle=True, collate_fn=collate)
valid = DataLoader(raw["validation"], batch_size=32, collate_fn=collate)

for epoch in range(4):
    model.train()
    for batch, labels in train:
        optimizer.zero_grad()
        loss = criterion(model(batch), labels)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

model.eval()
y_true, y_pred = [], []
with torch.no_grad():
    for batch, labels in valid:
        y_pred += (torch.sigmoid(model(batch)) > 0.5).long().tolist()
        y_true += labels.long().tolist()
print("accuracy", accuracy_score(y_true, y_pred), "f1", f1_score(y_true, y_pred))
