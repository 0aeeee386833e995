# Here I subclass the Trainer with weights for the classes
import torch
import torch.nn.functional as F
import evaluate
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
                          TrainingArguments, set_seed)

set_seed(42)


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.cross_entropy(outputs.logits, labels, label_smoothing=0.05)
        return (loss, outputs) if return_outputs else loss

    def log(self, logs, start_time=None):
        super().log(logs, start_time)
        print({k: round(v, 3) if isinstance(v, float) else v for k, v in logs.items()})


def build_datasets(tokenizer):
    raw = load_dataset("glue", "mnli")

    def go(rows):
        return tokenizer(list(zip(rows["premise"], rows["hypothesis"])), truncation=True)

    return raw.map(go, batched=True)


def build_model(checkpoint, n):
    return AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=n)


def make_metric():
    m = evaluate.load("glue", "mnli")

    def compute_metrics(eval_pred):
        logits, labels = eval_pred
        if isinstance(logits, tuple):
            logits = logits[0]
        return m.compute(predictions=logits.argmax(axis=-1), references=labels)

    return compute_metrics


def main():
    checkpoint = "distilbert-base-uncased"
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    data = build_datasets(tokenizer)
    trainer = WeightedTrainer(
        model_init=lambda: build_model(checkpoint, 3),
        args=TrainingArguments("d", learning_rate=2e-5, num_train_epochs=3, eval_strategy="epoch", save_strategy="no",
                               report_to="none", label_names=["labels"]),
        train_dataset=data["train"],
        eval_dataset=data["validation_matched"],
        data_collator=DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8),
        compute_metrics=make_metric(),
    )
    trainer.train()


if __name__ == "__main__":
    main()
