"""Tiny GPT-2 on weather bulletins, trained by a plain loop."""
import math
import random
from itertools import chain

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch.utils.data import DataLoader
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    default_data_collator,
    get_scheduler,
)

BLOCK = 32
EPOCHS = 4
random.seed(29)
torch.manual_seed(29)

SKIES = {"sunny": ["hats", "cream"], "rainy": ["boots", "umbrella"], "windy": ["kite", "scarf"],
         "snowy": ["sledge", "gloves"], "foggy": ["lamp", "whistle"]}
TOWNS = "arden bexley corfe dunster elham frome".split()


def bulletin():
    sky = random.choice(list(SKIES))
    town = random.choice(TOWNS)
    thing = random.choice(SKIES[sky])
    day = random.choice(["monday", "friday", "sunday"])
    return random.choice([
        f"on {day} it will be {sky} in {town} so bring your {thing}",
        f"{town} expects a {sky} {day} and people of {town} carry a {thing}",
        f"{sky} again in {town} : on {day} take the {thing}",
    ])


texts = Dataset.from_dict({"text": [bulletin() + " ; " + bulletin() for _ in range(1200)]})
splits = texts.train_test_split(test_size=0.15, seed=29)

raw_tok = Tokenizer(models.WordLevel(unk_token="<unk>"))
raw_tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
raw_tok.train_from_iterator(
    splits["train"]["text"], trainers.WordLevelTrainer(special_tokens=["<unk>", "<eos>"])
)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw_tok, unk_token="<unk>", eos_token="<eos>")


def encode(batch):
    return tokenizer([t + " " + tokenizer.eos_token for t in batch["text"]])


def group(batch):
    ids = list(chain(*batch["input_ids"]))
    total = len(ids) // BLOCK * BLOCK
    blocks = [ids[i : i + BLOCK] for i in range(0, total, BLOCK)]
    return {"input_ids": blocks, "labels": [list(b) for b in blocks]}


def prepare(split):
    enc = split.map(encode, batched=True, remove_columns=["text"])
    return enc.map(group, batched=True, remove_columns=enc.column_names)


train_loader = DataLoader(
    prepare(splits["train"]), batch_size=16, shuffle=True, collate_fn=default_data_collator
)
test_loader = DataLoader(prepare(splits["test"]), batch_size=32, collate_fn=default_data_collator)

config = GPT2Config(
    vocab_size=len(tokenizer),
    n_positions=BLOCK,
    n_embd=64,
    n_layer=2,
    n_head=4,
    bos_token_id=tokenizer.eos_token_id,
    eos_token_id=tokenizer.eos_token_id,
)
model = GPT2LMHeadModel(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
steps = EPOCHS * len(train_loader)
scheduler = get_scheduler("cosine", optimizer, num_warmup_steps=10, num_training_steps=steps)


def evaluate():
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in test_loader:
            loss = model(**batch).loss
            total += loss.item() * len(batch["input_ids"])
            count += len(batch["input_ids"])
    model.train()
    return math.exp(total / count)


print(f"before training: perplexity {evaluate():.2f}")
for epoch in range(EPOCHS):
    running = 0.0
    for batch in train_loader:
        outputs = model(**batch)
        loss = outputs.loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        running += loss.item()
    print(f"epoch {epoch}: train loss {running / len(train_loader):.3f}, perplexity {evaluate():.2f}")

model.eval()
prompt = tokenizer("on friday it will be snowy in", return_tensors="pt")
out = model.generate(
    prompt["input_ids"], attention_mask=prompt["attention_mask"], max_new_tokens=12,
    do_sample=False, pad_token_id=tokenizer.eos_token_id,
)
print(tokenizer.decode(out[0]))
print(f"final held-out perplexity {evaluate():.2f} (uniform guess: {len(tokenizer)})")
