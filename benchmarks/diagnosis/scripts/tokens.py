"""Tag each token: a name follows a title. A tiny BERT, a loop by hand."""

import torch
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForTokenClassification, get_linear_schedule_with_warmup

SEED = 0
torch.manual_seed(SEED)


def make_example():
    length = int(torch.randint(6, 15, (1,)))
    ids = torch.randint(10, 50, (length,))
    labels = (ids < 20).long() + 2 * (ids >= 40).long()
    return {"input_ids": ids, "labels": labels}


def collate(examples):
    longest = max(len(example["input_ids"]) for example in examples)
    batch = {"input_ids": [], "attention_mask": [], "labels": []}
    for example in examples:
        gap = longest - len(example["input_ids"])
        batch["input_ids"].append(example["input_ids"].tolist() + [0] * gap)
        batch["attention_mask"].append([1] * (longest - gap) + [0] * gap)
        batch["labels"].append(example["labels"].tolist() + [-100] * gap)
    return {name: torch.tensor(values) for name, values in batch.items()}


train_data = [make_example() for _ in range(480)]
eval_data = [make_example() for _ in range(96)]
train_loader = DataLoader(train_data, batch_size=16, shuffle=True, collate_fn=collate)
eval_loader = DataLoader(eval_data, batch_size=16, collate_fn=collate)
config = BertConfig(
    vocab_size=50,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=24,
    num_labels=3,
)
model = BertForTokenClassification(config)
optimizer = AdamW(model.parameters(), lr=2e-3)
epochs = 3
steps = epochs * len(train_loader)
scheduler = get_linear_schedule_with_warmup(optimizer, 5, steps)
for epoch in range(epochs):
    model.train()
    for batch in train_loader:
        outputs = model(**batch)
        loss = outputs.loss
        loss.backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    model.eval()
    right = total = 0
    for batch in eval_loader:
        with torch.no_grad():
            outputs = model(**batch)
        predictions = outputs.logits.argmax(dim=-1)
        counted = batch["labels"] != -100
        right += (predictions == batch["labels"])[counted].sum().item()
        total += counted.sum().item()
    print(epoch, loss.item(), right / total)
