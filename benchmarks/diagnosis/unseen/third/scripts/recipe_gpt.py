"""Train a mini GPT-2 on made-up recipe steps with the Trainer."""
import math
import random
import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (DataCollatorForLanguageModeling, GPT2Config, GPT2LMHeadModel,
                          PreTrainedTokenizerFast, Trainer, TrainingArguments, set_seed)

set_seed(17)

VEG = {"carrot": "peel", "onion": "chop", "potato": "boil", "tomato": "slice", "pepper": "roast"}
LIQUID = {"water": "cups", "milk": "glasses", "oil": "spoons"}


def sentence():
    veg = random.choice(list(VEG))
    liq = random.choice(list(LIQUID))
    n = random.choice(["one", "two", "three"])
    forms = [
        f"take the {veg} and {VEG[veg]} it well .",
        f"add {n} {LIQUID[liq]} of {liq} to the pot .",
        f"for the {veg} you need {n} {LIQUID[liq]} of {liq} .",
        f"when the {veg} is soft , {random.choice(['serve', 'taste', 'salt'])} it .",
    ]
    return random.choice(forms)


def recipe():
    return " ".join(sentence() for _ in range(random.randint(1, 3)))


texts = [recipe() for _ in range(1400)]
train_texts, valid_texts = texts[:1200], texts[1200:]

tok = Tokenizer(models.WordLevel(unk_token="<unk>"))
tok.pre_tokenizer = pre_tokenizers.Whitespace()
tok.train_from_iterator(train_texts, trainers.WordLevelTrainer(
    special_tokens=["<pad>", "<unk>", "<eos>"], show_progress=False))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", unk_token="<unk>",
                                    eos_token="<eos>")
print("vocabulary:", len(tokenizer))


def tokenize(batch):
    return tokenizer([t + " <eos>" for t in batch["text"]], truncation=True, max_length=48)


train_ds = Dataset.from_dict({"text": train_texts}).map(tokenize, batched=True, remove_columns=["text"])
valid_ds = Dataset.from_dict({"text": valid_texts}).map(tokenize, batched=True, remove_columns=["text"])
collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)

config = GPT2Config(vocab_size=len(tokenizer), n_positions=64, n_embd=48, n_layer=2, n_head=4,
                    bos_token_id=tokenizer.eos_token_id, eos_token_id=tokenizer.eos_token_id,
                    pad_token_id=tokenizer.pad_token_id)
model = GPT2LMHeadModel(config)

args = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    num_train_epochs=5,
    per_device_train_batch_size=20,
    per_device_eval_batch_size=50,
    gradient_accumulation_steps=1,
    learning_rate=3e-3,
    lr_scheduler_type="cosine",
    warmup_steps=20,
    max_grad_norm=1.0,
    eval_strategy="epoch",
    save_strategy="no",
    logging_strategy="epoch",
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(model=model, args=args, train_dataset=train_ds, eval_dataset=valid_ds, data_collator=collator)
before = trainer.evaluate()["eval_loss"]
trainer.train()
after = trainer.evaluate()["eval_loss"]
print(f"perplexity {math.exp(before):.2f} -> {math.exp(after):.2f}")

model.eval()
prompt = tokenizer("take the onion and", return_tensors="pt")
with torch.no_grad():
    answer = model.generate(input_ids=prompt["input_ids"], attention_mask=prompt["attention_mask"],
                            max_new_tokens=8, do_sample=False)
print(tokenizer.decode(answer[0], skip_special_tokens=True))
