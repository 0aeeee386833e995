"""Extractive question answering, with a loop of our own."""
import random

import torch
from datasets import Dataset
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, BertConfig, BertForQuestionAnswering, default_data_collator, get_scheduler

torch.manual_seed(3)
random.seed(3)

NAMES = ["anna", "paul", "mary", "tom"]
PLACES = ["vienna", "the park", "the old theatre", "rome", "the harbour"]
DAYS = ["monday", "tuesday", "friday", "sunday"]


def make_example():
    name, place, day = random.choice(NAMES), random.choice(PLACES), random.choice(DAYS)
    context = f"{name} went to {place} on {day} ."
    kind, answer = random.choice([("who", name), ("where", place), ("when", day)])
    question = {"who": "who went ?", "where": "where to ?", "when": "when was it ?"}[kind]
    return {"question": question, "context": context,
            "answers": {"text": [answer], "answer_start": [context.index(answer)]}}


train_raw = Dataset.from_list([make_example() for _ in range(1200)])
valid_raw = Dataset.from_list([make_example() for _ in range(200)])
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
max_length = 48


def prepare(examples):
    inputs = tokenizer(
        examples["question"], examples["context"], max_length=max_length, truncation="only_second",
        padding="max_length", return_offsets_mapping=True,
    )
    offset_mapping = inputs.pop("offset_mapping")
    start_positions, end_positions = [], []
    for i, offsets in enumerate(offset_mapping):
        answer = examples["answers"][i]
        start_char = answer["answer_start"][0]
        end_char = start_char + len(answer["text"][0])
        sequence_ids = inputs.sequence_ids(i)
        idx = 0
        while sequence_ids[idx] != 1:
            idx += 1
        context_start = idx
        while sequence_ids[idx] == 1:
            idx += 1
        context_end = idx - 1
        idx = context_start
        while idx <= context_end and offsets[idx][0] <= start_char:
            idx += 1
        start_positions.append(idx - 1)
        idx = context_end
        while idx >= context_start and offsets[idx][1] >= end_char:
            idx -= 1
        end_positions.append(idx + 1)
    inputs["start_positions"] = start_positions
    inputs["end_positions"] = end_positions
    return inputs


train_set = train_raw.map(prepare, batched=True, remove_columns=train_raw.column_names)
valid_set = valid_raw.map(prepare, batched=True, remove_columns=valid_raw.column_names)
train_loader = DataLoader(train_set, batch_size=16, shuffle=True, collate_fn=default_data_collator)
valid_loader = DataLoader(valid_set, batch_size=50, collate_fn=default_data_collator)

config = BertConfig(vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=128, max_position_embeddings=64)
model = BertForQuestionAnswering(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
num_epochs = 5
num_training_steps = num_epochs * len(train_loader)
lr_scheduler = get_scheduler("linear", optimizer=optimizer, num_warmup_steps=20,
                             num_training_steps=num_training_steps)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)


def evaluate():
    model.eval()
    exact = total = 0
    for batch in valid_loader:
        batch = {name: column.to(device) for name, column in batch.items()}
        with torch.no_grad():
            outputs = model(**batch)
        start = outputs.start_logits.argmax(dim=-1)
        end = outputs.end_logits.argmax(dim=-1)
        hit = (start == batch["start_positions"]) & (end == batch["end_positions"])
        exact += hit.sum().item()
        total += len(hit)
    return exact / total


for epoch in range(num_epochs):
    model.train()
    epoch_loss = 0.0
    for batch in train_loader:
        batch = {name: column.to(device) for name, column in batch.items()}
        outputs = model(**batch)
        loss = outputs.loss
        loss.backward()
        optimizer.step()
        lr_scheduler.step()  # once a batch
        optimizer.zero_grad()
        epoch_loss += loss.item()
    print(f"epoch {epoch}: loss {epoch_loss / len(train_loader):.3f}")

print(f"RESULT {evaluate():.4f}")
