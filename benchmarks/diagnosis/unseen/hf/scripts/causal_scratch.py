"""A tiny GPT-2 from scratch; tokenizer of words, collator by hand."""
import math
import random

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, Trainer, TrainingArguments

random.seed(0)
torch.manual_seed(0)
names = ["anna", "ivan", "mei", "omar"]
verbs = {"eats": ["bread", "rice"], "reads": ["books", "letters"], "drives": ["cars", "trucks"]}


def line():
    parts = []
    for _ in range(random.randint(1, 3)):
        verb = random.choice(list(verbs))
        parts.append(f"{random.choice(names)} {verb} {random.choice(verbs[verb])}")
    return " and ".join(parts)


words = sorted({w for _ in range(300) for w in line().split()})
vocab = {w: i for i, w in enumerate(["<pad>", "<eos>", "<unk>", *words])}
backend = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
backend.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=backend, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
)

train = Dataset.from_dict({"text": [line() for _ in range(800)]})
valid = Dataset.from_dict({"text": [line() for _ in range(100)]})


def encode(batch):
    return tokenizer([t + " <eos>" for t in batch["text"]], return_token_type_ids=False)


train = train.map(encode, batched=True, remove_columns="text")
valid = valid.map(encode, batched=True, remove_columns="text")


def collate(rows):
    longest = max(len(r["input_ids"]) for r in rows)
    ids = torch.full((len(rows), longest), tokenizer.pad_token_id)
    mask = torch.zeros((len(rows), longest), dtype=torch.long)
    labels = torch.full((len(rows), longest), -100)
    for i, row in enumerate(rows):
        n = len(row["input_ids"])
        ids[i, :n] = torch.tensor(row["input_ids"])
        mask[i, :n] = 1
        labels[i, :n] = torch.tensor(row["input_ids"])
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


config = GPT2Config(
    vocab_size=len(tokenizer),
    n_positions=32,
    n_embd=48,
    n_layer=2,
    n_head=2,
    bos_token_id=tokenizer.eos_token_id,
    eos_token_id=tokenizer.eos_token_id,
    pad_token_id=tokenizer.pad_token_id,
)
model = GPT2LMHeadModel(config)
args = TrainingArguments(
    output_dir="lm",
    per_device_train_batch_size=16,
    num_train_epochs=3,
    learning_rate=3e-3,
    lr_scheduler_type="cosine",
    warmup_steps=10,
    logging_steps=25,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)
trainer = Trainer(model=model, args=args, data_collator=collate, train_dataset=train, eval_dataset=valid)
trainer.train()
print("perplexity", math.exp(trainer.evaluate()["eval_loss"]))
prompt = tokenizer("anna reads", return_tensors="pt", return_token_type_ids=False)
print(tokenizer.decode(model.generate(**prompt, max_new_tokens=8, do_sample=False)[0]))
