# loop with an exponential average of the weights: swapped in to evaluate, swapped out to go on
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_linear_schedule_with_warmup

torch.manual_seed(0)
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
raw = load_dataset("glue", "mrpc")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def collate(rows):
    batch = tokenizer(
        [r["sentence1"] for r in rows], [r["sentence2"] for r in rows],
        padding=True, truncation=True, return_tensors="pt",
    )
    batch["labels"] = torch.tensor([r["label"] for r in rows])
    return batch


train = DataLoader(raw["train"], batch_size=8, shuffle=True, collate_fn=collate)
valid = DataLoader(raw["validation"], batch_size=25, collate_fn=collate)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=6e-5)
epochs = 3
sched = get_linear_schedule_with_warmup(opt, 20, epochs * len(train))
shadow = [p.detach().clone() for p in model.parameters()]


def swap():
    with torch.no_grad():
        for s, p in zip(shadow, model.parameters()):
            kept = p.detach().clone()
            p.copy_(s)
            s.copy_(kept)


for epoch in range(epochs):
    model.train()
    for batch in train:
        opt.zero_grad(set_to_none=True)
        loss = model(**batch.to(device)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        with torch.no_grad():
            for s, p in zip(shadow, model.parameters()):
                s.lerp_(p, 0.02)
    swap()
    model.eval()
    right = seen = 0
    for batch in valid:
        batch = batch.to(device)
        with torch.no_grad():
            logits = model(**batch).logits
        right += (logits.argmax(-1) == batch["labels"]).sum().item()
        seen += len(batch["labels"])
    print(f"epoch {epoch}: accuracy of the average {right / seen:.3f}")
    swap()
