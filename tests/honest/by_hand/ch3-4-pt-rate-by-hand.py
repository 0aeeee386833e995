# Расписание пишу сам: линейное падение скорости обучения прямо в param_groups.
import torch
from datasets import load_dataset
from sklearn.metrics import classification_report
from torch.utils.data import DataLoader
from transformers import BertForSequenceClassification, BertTokenizerFast, set_seed

set_seed(42)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
tokenizer = BertTokenizerFast.from_pretrained("bert-base-uncased")
raw = load_dataset("glue", "mrpc")


def collate(rows):
    batch = tokenizer(
        [(r["sentence1"], r["sentence2"]) for r in rows], padding=True, truncation=True, return_tensors="pt"
    ).to(device)
    batch["labels"] = torch.tensor([r["label"] for r in rows], device=device)
    return batch


train_loader = DataLoader(raw["train"], batch_size=8, shuffle=True, collate_fn=collate)
eval_loader = DataLoader(raw["validation"], batch_size=20, collate_fn=collate)
model = BertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2).to(device)
base = 1e-4
optimizer = torch.optim.AdamW(model.parameters(), lr=base)
epochs = 3
total, step = epochs * len(train_loader), 0

for epoch in range(epochs):
    model.train()
    for batch in train_loader:
        for group in optimizer.param_groups:
            group["lr"] = base * (1 - step / total)
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
    print(f"эпоха {epoch + 1}: скорость {optimizer.param_groups[0]['lr']:.1e}")

model.eval()
ответы, правда = [], []
with torch.no_grad():
    for batch in eval_loader:
        правда.extend(batch.pop("labels").tolist())
        ответы.extend(model(**batch).logits.argmax(1).tolist())
print(classification_report(правда, ответы, target_names=["разные", "одинаковые"]))
