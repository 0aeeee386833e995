# Finds amount, goods, destination and origin in short orders (token classification).
import random

import numpy as np
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    DataCollatorForTokenClassification,
    ElectraConfig,
    ElectraForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(3)
rng = random.Random(3)

label_names = ["O", "AMOUNT", "GOODS", "DEST", "ORIGIN"]
label2id = {name: i for i, name in enumerate(label_names)}

SYLLABLES = "bor vas lin tok mer nau dal kir sten hol".split()
GOODS = "malt timber copper salt linen barley tallow pitch".split()
NUMBERS = "two three seven nine twelve forty".split()
LEAD = [["please", "send"], ["ship"], ["we", "need"], ["kindly", "deliver", "quickly"]]


def town():
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 3)))


def make_order():
    words = [(w, "O") for w in rng.choice(LEAD)]
    words += [(rng.choice(NUMBERS), "AMOUNT"), ("crates", "O"), ("of", "O")]
    words += [(rng.choice(GOODS), "GOODS")]
    parts = [[("to", "O"), (town(), "DEST")], [("from", "O"), (town(), "ORIGIN")]]
    rng.shuffle(parts)
    for part in parts[: rng.choice([1, 2, 2])]:
        words += part
    words += [(w, "O") for w in rng.choice([[], ["by", "sea"], ["before", "the", "frost"]])]
    return {"words": [w for w, _ in words], "tags": [label2id[t] for _, t in words]}


raw = Dataset.from_list([make_order() for _ in range(1500)])
raw = raw.train_test_split(test_size=0.2, seed=3)

core = Tokenizer(models.WordPiece(unk_token="[UNK]"))
core.pre_tokenizer = pre_tokenizers.Whitespace()
core.train_from_iterator(
    (" ".join(words) for words in raw["train"]["words"]),
    trainers.WordPieceTrainer(vocab_size=140, special_tokens=["[PAD]", "[UNK]"]),
)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]")


def tokenize_and_align(batch):
    enc = tokenizer(batch["words"], is_split_into_words=True, truncation=True, max_length=64)
    enc["labels"] = []
    for i, tags in enumerate(batch["tags"]):
        previous, row = None, []
        for w in enc.word_ids(batch_index=i):
            row.append(-100 if w is None or w == previous else tags[w])
            previous = w
        enc["labels"].append(row)
    return enc


train_ds = raw["train"].map(tokenize_and_align, batched=True, remove_columns=["words", "tags"])
test_ds = raw["test"].map(tokenize_and_align, batched=True, remove_columns=["words", "tags"])

model = ElectraForTokenClassification(
    ElectraConfig(
        vocab_size=tokenizer.vocab_size,
        embedding_size=48,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        initializer_range=0.1,
        pad_token_id=tokenizer.pad_token_id,
        id2label=dict(enumerate(label_names)),
        label2id=label2id,
    )
)


def compute_metrics(p):
    guesses = p.predictions.argmax(-1)
    keep = p.label_ids != -100
    per_class = f1_score(
        p.label_ids[keep], guesses[keep], labels=range(1, 5), average=None, zero_division=0
    )
    return {"entity_f1": per_class.mean(), "dest_f1": per_class[2], "origin_f1": per_class[3]}


trainer = Trainer(
    model=model,
    args=TrainingArguments(
        "out_ner",
        per_device_train_batch_size=16,
        per_device_eval_batch_size=64,
        learning_rate=2e-3,
        num_train_epochs=5,
        lr_scheduler_type="linear",
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=75,
        report_to=[],
    ),
    train_dataset=train_ds,
    eval_dataset=test_ds,
    data_collator=DataCollatorForTokenClassification(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
scores = trainer.evaluate()
print({k: round(v, 3) for k, v in scores.items() if k.endswith("f1")})
