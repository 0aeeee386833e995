# Без set_format: тензоры делаю сам. Расписание: SequentialLR (разогрев + косинус).
import evaluate
import torch
from datasets import load_dataset
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

set_seed(42)
checkpoint = "bert-base-uncased"
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def tokenize(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)


ready = raw.map(tokenize, batched=True)


def collate(rows):
    batch = tokenizer.pad(
        {key: [row[key] for row in rows] for key in ("input_ids", "token_type_ids", "attention_mask")},
        return_tensors="pt",
    )
    batch["labels"] = torch.tensor([row["label"] for row in rows])
    return batch


train_loader = DataLoader(
    ready["train"],
    batch_sampler=BatchSampler(RandomSampler(ready["train"]), batch_size=8, drop_last=False),
    collate_fn=collate,
)
eval_loader = DataLoader(
    ready["validation"],
    batch_sampler=BatchSampler(SequentialSampler(ready["validation"]), batch_size=16, drop_last=False),
    collate_fn=collate,
)

model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
epochs = 2
steps = epochs * len(train_loader)
warmup = max(1, steps // 10)
schedule = SequentialLR(
    optimizer,
    [LinearLR(optimizer, start_factor=0.1, total_iters=warmup), CosineAnnealingLR(optimizer, T_max=steps - warmup)],
    milestones=[warmup],
)


def forward(batch):
    inputs = {k: v.to(device) for k, v in batch.items()}
    return model(**inputs)


step = 0
while step < steps:
    model.train()
    for batch in train_loader:
        loss = forward(batch).loss
        loss.backward()
        grad_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        for p in model.parameters():
            p.grad = None
        step += 1
        if step % 25 == 0:
            print(f"шаг {step}/{steps}: потеря {loss.item():.3f}, норма {grad_norm:.2f}")

accuracy, f1 = evaluate.load("accuracy"), evaluate.load("f1")
model.eval()
answers, truths = [], []
with torch.inference_mode():
    for batch in eval_loader:
        answers.append(forward(batch).logits.argmax(-1).cpu())
        truths.append(batch["labels"])
answers, truths = torch.cat(answers), torch.cat(truths)
print(accuracy.compute(predictions=answers, references=truths), f1.compute(predictions=answers, references=truths))
