# preprocess_logits_for_metrics: the argmax is taken there, on the device
import evaluate
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer, TrainingArguments, set_seed
set_seed(42)
raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
tokenized = raw.map(lambda p: tokenizer(p["premise"], p["hypothesis"], truncation=True), batched=True)
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
args = TrainingArguments("distilbert-on-mnli", learning_rate=2e-5, num_train_epochs=3, weight_decay=0.01, eval_strategy="epoch", save_strategy="no", report_to="none")
metric = evaluate.load("glue", "mnli")


def to_classes(logits, labels):
    return logits.argmax(dim=-1)


def compute_metrics(prediction):
    return metric.compute(predictions=prediction.predictions, references=prediction.label_ids)


trainer = Trainer(model, args, train_dataset=tokenized["train"], eval_dataset=tokenized["validation_matched"],
                  compute_metrics=compute_metrics, data_collator=DataCollatorWithPadding(tokenizer=tokenizer),
                  preprocess_logits_for_metrics=to_classes)
trainer.train()
