# Токенизация прямо в collate, сложение метрики вручную
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from sklearn.metrics import accuracy_score, f1_score
torch.manual_seed(0)
ck = "bert-base-uncased"
tok = AutoTokenizer.from_pretrained(ck)
тексты = ["The new bridge opened on Monday, and people love it.", "The old one closed."]
inp = tok(тексты, padding=True, return_tensors="pt")
м = AutoModelForSequenceClassification.from_pretrained(ck)
о = torch.optim.AdamW(м.parameters(), lr=5e-5)
м(**inp, labels=torch.tensor([1, 0])).loss.backward()
о.step()
raw = load_dataset("glue", "mrpc")
print(raw["train"].features, raw["train"][0])
def collate(xs):
    b = tok([x["sentence1"] for x in xs], [x["sentence2"] for x in xs], padding="longest", truncation=True, return_tensors="pt")
    b["labels"] = torch.tensor([x["label"] for x in xs])
    return b
обуч = DataLoader(raw["train"], batch_size=8, shuffle=True, collate_fn=collate)
вал = DataLoader(raw["validation"], batch_size=8, collate_fn=collate)
model = AutoModelForSequenceClassification.from_pretrained(ck, num_labels=2)
opt = torch.optim.AdamW(model.parameters(), lr=5e-5)
model.train()
for эпоха in range(2):
    for b in tqdm(обуч):
        loss = model(**b).loss
        loss.backward()
        opt.step()
        opt.zero_grad()
model.eval()
y, p = [], []
with torch.no_grad():
    for b in вал:
        p += model(**b).logits.argmax(dim=1).tolist()
        y += b["labels"].tolist()
print(f"точность {accuracy_score(y, p):.3f}, F1 {f1_score(y, p):.3f}")
