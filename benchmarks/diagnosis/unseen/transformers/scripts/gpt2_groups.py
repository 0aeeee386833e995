"""Train a small GPT-2 from scratch on little stories, in blocks of equal length."""
import math
import random

from datasets import Dataset, DatasetDict
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(5)
random.seed(5)
PAIRS = [("cat", "milk"), ("dog", "bone"), ("bird", "seed"), ("horse", "hay"), ("bear", "honey")]
COLOURS = ["black", "white", "brown", "grey"]


def story():
    animal, food = random.choice(PAIRS)
    colour = random.choice(COLOURS)
    return f"once there was a {colour} {animal} . the {animal} was {colour} and it wanted {food} . so it got {food} ."


raw = DatasetDict({
    "train": Dataset.from_dict({"text": [story() for _ in range(1500)]}),
    "validation": Dataset.from_dict({"text": [story() for _ in range(200)]}),
})

core = Tokenizer(models.WordLevel(unk_token="<unk>"))
core.pre_tokenizer = pre_tokenizers.Whitespace()
core.train_from_iterator(list(raw["train"]["text"]), trainers.WordLevelTrainer(special_tokens=["<unk>", "<eos>"]))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, unk_token="<unk>", eos_token="<eos>")
tokenizer.pad_token = tokenizer.eos_token

block_size = 64


def tokenize(batch):
    return tokenizer([t + " <eos>" for t in batch["text"]])


def group_texts(examples):
    concatenated = {k: sum(examples[k], []) for k in examples.keys()}
    total_length = len(concatenated["input_ids"])
    total_length = (total_length // block_size) * block_size
    result = {
        k: [t[i: i + block_size] for i in range(0, total_length, block_size)]
        for k, t in concatenated.items()
    }
    result["labels"] = [list(ids) for ids in result["input_ids"]]
    return result


tokenized = raw.map(tokenize, batched=True, remove_columns=["text"])
lm_datasets = tokenized.map(group_texts, batched=True)

config = GPT2Config(
    vocab_size=len(tokenizer), n_positions=block_size, n_embd=64, n_layer=2, n_head=4,
    bos_token_id=tokenizer.eos_token_id, eos_token_id=tokenizer.eos_token_id,
)
model = GPT2LMHeadModel(config)

args = TrainingArguments(
    output_dir="stories",
    per_device_train_batch_size=8,
    per_device_eval_batch_size=16,
    learning_rate=3e-3,
    num_train_epochs=3,
    lr_scheduler_type="cosine",
    warmup_steps=10,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=25,
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=lm_datasets["train"],
    eval_dataset=lm_datasets["validation"],
)
trainer.train()
eval_loss = trainer.evaluate()["eval_loss"]
print("RESULT", round(math.exp(eval_loss), 4))
