"""MRPC, BERT, a loop. The best epoch (by a tenth of the training rows) is saved, and read back."""
import tempfile

import evaluate
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader, random_split
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    get_cosine_schedule_with_warmup,
    set_seed,
)

set_seed(7)
device = "cuda" if torch.cuda.is_available() else "cpu"
tok = AutoTokenizer.from_pretrained("bert-base-uncased")
glue = load_dataset("glue", "mrpc")
glue = glue.map(lambda r: tok(r["sentence1"], r["sentence2"], truncation=True), batched=True)
glue = glue.remove_columns(["sentence1", "sentence2", "idx"]).rename_column("label", "labels")
pad = DataCollatorWithPadding(tok)

held = len(glue["train"]) // 10
train, dev = random_split(glue["train"], [len(glue["train"]) - held, held])
loaders = {
    "train": DataLoader(train, batch_size=8, shuffle=True, collate_fn=pad),
    "dev": DataLoader(dev, batch_size=16, collate_fn=pad),
    "validation": DataLoader(glue["validation"], batch_size=16, collate_fn=pad),
}


@torch.inference_mode()
def score(net, name):
    net.eval()
    metric = evaluate.load("glue", "mrpc")
    for batch in loaders[name]:
        batch = batch.to(device)
        metric.add_batch(predictions=net(**batch).logits.argmax(-1), references=batch["labels"])
    return metric.compute()


def fit(folder, epochs=3):
    net = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
    net.to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=5e-5)
    total = epochs * len(loaders["train"])
    plan = get_cosine_schedule_with_warmup(opt, total // 10, total)
    best = 0.0
    for epoch in range(epochs):
        net.train()
        for batch in loaders["train"]:
            net(**batch.to(device)).loss.backward()
            opt.step()
            plan.step()
            opt.zero_grad()
        now = score(net, "dev")["accuracy"]
        print(epoch, now)
        if now > best:
            best = now
            net.save_pretrained(folder)


with tempfile.TemporaryDirectory() as folder:
    fit(folder)
    best = AutoModelForSequenceClassification.from_pretrained(folder).to(device)
print(score(best, "validation"))
