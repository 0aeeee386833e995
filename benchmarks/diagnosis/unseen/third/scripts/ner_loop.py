# token classification with a small DistilBERT in a hand-written loop
import random

import torch
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import DistilBertConfig, DistilBertForTokenClassification, get_linear_schedule_with_warmup

SEED = 4
random.seed(SEED)
torch.manual_seed(SEED)

TAGS = ["O", "PER", "LOC", "ORG"]
NAMES = ["jordan", "paris", "austin", "chelsea", "florence", "sydney", "lincoln", "carter"]
TEMPLATES = [
    "mr {PER} went to see the doctor",
    "they flew from {LOC} to {LOC} in spring",
    "shares of {ORG} fell after the report",
    "yesterday {PER} said that the city of {LOC} is lovely",
    "the company {ORG} hired ms {PER} last week",
    "near {LOC} there is a new office of {ORG} inc",
    "i told mr {PER} about it",
]


def sample_sentence():
    words, tags = [], []
    for _ in range(random.choice([1, 1, 2])):
        for w in random.choice(TEMPLATES).split():
            if w.startswith("{"):
                words.append(random.choice(NAMES))
                tags.append(TAGS.index(w.strip("{}")))
            else:
                words.append(w)
                tags.append(0)
            if random.random() < 0.08:
                words.append(random.choice(["um", "well", "so"]))
                tags.append(0)
    return words, tags


sentences = [sample_sentence() for _ in range(1500)]
word_ids = {"[PAD]": 0}
for ws, _ in sentences:
    for w in ws:
        word_ids.setdefault(w, len(word_ids))

examples = [{"ids": [word_ids[w] for w in ws], "tags": ts} for ws, ts in sentences]
train_examples, eval_examples = examples[:1200], examples[1200:]


def collate(batch):
    longest = max(len(e["ids"]) for e in batch)
    input_ids = torch.zeros(len(batch), longest, dtype=torch.long)
    attention_mask = torch.zeros(len(batch), longest, dtype=torch.long)
    labels = torch.full((len(batch), longest), -100)
    for row, e in enumerate(batch):
        n = len(e["ids"])
        input_ids[row, :n] = torch.tensor(e["ids"])
        attention_mask[row, :n] = 1
        labels[row, :n] = torch.tensor(e["tags"])
    return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


train_loader = DataLoader(train_examples, batch_size=24, shuffle=True, collate_fn=collate)
eval_loader = DataLoader(eval_examples, batch_size=50, collate_fn=collate)

config = DistilBertConfig(vocab_size=len(word_ids), dim=48, n_layers=2, n_heads=4, hidden_dim=96,
                          max_position_embeddings=64, num_labels=len(TAGS), dropout=0.1)
model = DistilBertForTokenClassification(config)

EPOCHS = 6
no_decay = ("bias", "LayerNorm.weight", "layer_norm.weight")
grouped = [
    {"params": [p for n, p in model.named_parameters() if not n.endswith(no_decay)], "weight_decay": 0.01},
    {"params": [p for n, p in model.named_parameters() if n.endswith(no_decay)], "weight_decay": 0.0},
]
optimizer = AdamW(grouped, lr=2e-3)
num_steps = EPOCHS * len(train_loader)
scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=num_steps // 10,
                                            num_training_steps=num_steps)


def evaluate():
    model.eval()
    tp = fp = fn = 0
    for batch in eval_loader:
        with torch.no_grad():
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        pred = logits.argmax(dim=-1)
        keep = batch["labels"] != -100
        p, t = pred[keep], batch["labels"][keep]
        tp += ((p == t) & (t > 0)).sum().item()
        fp += ((p > 0) & (p != t)).sum().item()
        fn += ((t > 0) & (p != t)).sum().item()
    precision = tp / max(tp + fp, 1)
    recall = tp / max(tp + fn, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


for epoch in range(EPOCHS):
    model.train()
    seen_loss = 0.0
    for batch in train_loader:
        out = model(**batch)
        out.loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        seen_loss += out.loss.item()
    p, r, f = evaluate()
    print(f"epoch {epoch + 1} loss {seen_loss / len(train_loader):.4f} P {p:.3f} R {r:.3f} F1 {f:.3f}")

print("entity F1 on held-out sentences: %.4f" % evaluate()[2])
