# My own training loop, no Trainer at all
import math
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_cosine_schedule_with_warmup

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
tok = AutoTokenizer.from_pretrained("distilbert-base-uncased")
ds = load_dataset("glue", "mnli")


def count(split):
    return split, len(ds[split])


with ThreadPoolExecutor(max_workers=2) as pool:
    for split, n in pool.map(count, list(ds)):
        print(split, n)


def collate(examples):
    batch = tok(
        [e["premise"] for e in examples],
        [e["hypothesis"] for e in examples],
        padding=True, truncation=True, return_tensors="pt",
    )
    batch["labels"] = torch.tensor([e["label"] for e in examples])
    return batch


train_dl = DataLoader(ds["train"], batch_size=16, shuffle=True, collate_fn=collate)
dev_dl = DataLoader(ds["validation_matched"], batch_size=64, collate_fn=collate)

net = AutoModelForSequenceClassification.from_pretrained(
    "distilbert-base-uncased",
    id2label={0: "entailment", 1: "neutral", 2: "contradiction"},
    label2id={"entailment": 0, "neutral": 1, "contradiction": 2},
).to(device)
EPOCHS = 2
ACC = 2
opt = torch.optim.AdamW(net.parameters(), lr=1e-4, weight_decay=0.01)
total = EPOCHS * math.ceil(len(train_dl) / ACC)
sched = get_cosine_schedule_with_warmup(opt, total // 10, total)

t0 = time.time()
for epoch in range(EPOCHS):
    net.train()
    bar = tqdm(train_dl, desc=f"epoch {epoch}")
    for i, batch in enumerate(bar):
        batch = {k: v.to(device) for k, v in batch.items()}
        out = net(**batch)
        (out.loss / ACC).backward()
        if (i + 1) % ACC == 0 or i + 1 == len(train_dl):
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
        if i % 20 == 0:
            bar.set_postfix(loss=out.loss.item())
    net.eval()
    right = seen = 0
    with torch.inference_mode():
        for batch in dev_dl:
            batch = batch.to(device) if hasattr(batch, "to") else batch
            pred = net(**batch).logits.argmax(-1)
            right += (pred == batch["labels"]).sum().item()
            seen += len(pred)
    print(f"epoch {epoch}: accuracy {right / seen:.3f} after {time.time() - t0:.0f}s")
torch.save(net.state_dict(), "weights.pt")
