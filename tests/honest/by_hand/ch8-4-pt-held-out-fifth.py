from functools import partial

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoConfig,
    AutoTokenizer,
    DataCollatorWithPadding,
    DistilBertForSequenceClassification,
    DistilBertTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 42
set_seed(SEED)
checkpoint = "distilbert-base-uncased"
raw = load_dataset("glue", "mnli")
tokenizer = DistilBertTokenizerFast.from_pretrained(checkpoint)


def encode(tok, batch, *, limit):
    pairs = list(zip(batch["premise"], batch["hypothesis"]))
    return tok(pairs, truncation=True, max_length=limit)


tokenized = raw.map(partial(encode, tokenizer, limit=128), batched=True)

# keep a part of the training pairs to look at while training; the validation split is the test
parts = tokenized["train"].train_test_split(test_size=0.2, seed=SEED)
labels = raw["train"].features["label"]

model = DistilBertForSequenceClassification.from_pretrained(
    checkpoint,
    num_labels=labels.num_classes,
    id2label={i: labels.int2str(i) for i in range(labels.num_classes)},
)

args = TrainingArguments(
    "distilbert-on-mnli",
    learning_rate=3e-5,
    num_train_epochs=3,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
both = evaluate.combine(["accuracy"])


def compute_metrics(prediction):
    logits, references = prediction
    if isinstance(logits, tuple):
        logits = logits[0]
    return both.compute(predictions=np.argmax(logits, -1), references=references)


trainer = Trainer(
    model=model,
    args=args,
    train_dataset=parts["train"],
    eval_dataset=parts["test"],
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
result = trainer.train()
print(f"{result.training_loss=:.3f}")
print("on the validation split:", trainer.evaluate(tokenized["validation_matched"]))
predictions = trainer.predict(tokenized["validation_matched"])
print(np.bincount(predictions.predictions.argmax(-1), minlength=3))
