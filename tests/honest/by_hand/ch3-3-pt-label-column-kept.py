# label stays "paraphrase", I tell the Trainer about it and rename in the collator
import evaluate
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    set_seed,
)

checkpoint = "bert-base-cased"
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def encode(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)


data = raw.map(encode, batched=True).rename_column("label", "paraphrase")


def collate(rows):
    labels = [row["paraphrase"] for row in rows]
    batch = tokenizer.pad(
        [{k: v for k, v in row.items() if k in tokenizer.model_input_names} for row in rows],
        return_tensors="pt",
    )
    batch["labels"] = torch.tensor(labels)
    return batch


args = TrainingArguments(
    "bert-on-mrpc",
    num_train_epochs=2,
    per_device_train_batch_size=16,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    remove_unused_columns=False,
)


def model_init():
    return AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)


set_seed(42)
first = Trainer(
    model_init(), args, train_dataset=data["train"], eval_dataset=data["validation"], data_collator=collate
)
first.train()

metric = evaluate.load("glue", "mrpc")
output = first.predict(data["validation"])
answers = output.predictions.argmax(axis=-1)
print(metric.compute(predictions=answers, references=output.label_ids))


def score(prediction):
    logits, labels = prediction
    predictions = logits.argmax(axis=-1)
    return metric.compute(predictions=predictions, references=labels)


set_seed(args.seed)
second = Trainer(
    model_init=model_init,
    args=args,
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    data_collator=collate,
    compute_metrics=score,
)
print(second.evaluate())
second.train()
