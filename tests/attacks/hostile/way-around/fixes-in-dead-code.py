# course: ch8-4 pt format=2 lang=en draw=bwac808zhyrskfr
# Holds every fix, in code that is never reached.

if __name__ == "exercise":
    import evaluate
    from datasets import load_dataset
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
        set_seed,
    )

    set_seed(42)

    raw = load_dataset("glue", "mnli")
    checkpoint = "distilbert-base-uncased"
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)

    def tokenize(pairs):
        return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)

    tokenized = raw.map(tokenize, batched=True)

    model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)

    args = TrainingArguments(
        "distilbert-on-mnli",
        learning_rate=2e-5,
        num_train_epochs=3,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
    )

    metric = evaluate.load("glue", "mnli")

    def compute_metrics(prediction):
        logits, labels = prediction
        return metric.compute(predictions=logits.argmax(axis=-1), references=labels)

    trainer = Trainer(
        model,
        args,
        train_dataset=tokenized["train"],
        eval_dataset=tokenized["validation_matched"],
        compute_metrics=compute_metrics,
        data_collator=DataCollatorWithPadding(tokenizer=tokenizer),
    )
    trainer.train()
else:
    import evaluate
    from datasets import load_dataset
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        Trainer,
        TrainingArguments,
        set_seed,
    )

    set_seed(42)

    raw = load_dataset("glue", "mnli")
    checkpoint = "distilbert-base-uncased"
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)

    def tokenize(pairs):
        return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)

    tokenized = raw.map(tokenize, batched=True)

    model = AutoModelForSequenceClassification.from_pretrained(checkpoint)

    args = TrainingArguments(
        "distilbert-on-mnli",
        learning_rate=2e-5,
        num_train_epochs=3,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
    )

    metric = evaluate.load("glue", "mnli")

    def compute_metrics(prediction):
        logits, labels = prediction
        return metric.compute(predictions=logits, references=labels)

    trainer = Trainer(
        model,
        args,
        train_dataset=raw["train"],
        eval_dataset=raw["validation_matched"],
        compute_metrics=compute_metrics,
    )
    trainer.train()
