# two functions; loss by hand; evaluation each epoch; best weights kept
import copy
import torch
import torch.nn.functional as F
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer

torch.manual_seed(42)
name = "bert-base-uncased"
device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
tokenizer = AutoTokenizer.from_pretrained(name)
raw = load_dataset("glue", "mrpc")


def collate(rows):
    enc = tokenizer([(r["sentence1"], r["sentence2"]) for r in rows], padding=True, truncation=True, return_tensors="pt")
    return enc, torch.tensor([r["label"] for r in rows])


train_loader = DataLoader(raw["train"], batch_size=16, shuffle=True, collate_fn=collate)
eval_loader = DataLoader(raw["validation"], batch_size=32, collate_fn=collate)
model = AutoModelForSequenceClassification.from_pretrained(name, num_labels=2).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=5e-5)
epochs = 3
sched = OneCycleLR(opt, max_lr=1e-4, total_steps=epochs * len(train_loader))


def evaluate_model():
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in eval_loader:
            x, y = x.to(device), y.to(device)
            hits += int((model(**x).logits.argmax(-1) == y).sum())
            total += y.numel()
    model.train()
    return hits / total


best, best_state = 0.0, None
model.train()
for epoch in range(epochs):
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        loss = F.cross_entropy(model(**x).logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    acc = evaluate_model()
    print(f"epoch {epoch}: {acc:.3f}")
    if acc > best:
        best, best_state = acc, copy.deepcopy(model.state_dict())
model.load_state_dict(best_state)
print("best", best)
