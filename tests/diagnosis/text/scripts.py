"""Small scripts that the tests of reading share: nothing of them is ever run."""

LOOP = """
import torch
from torch import nn

model = nn.Linear(4, 2)
loss_of = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for inputs, labels in loader():
        optimizer.zero_grad()
        loss = loss_of(model(inputs), labels)
        loss.backward()
        optimizer.step()
"""
LOOP = LOOP.replace("loader()", "[(torch.ones(3, 4), torch.tensor([0, 1, 1]))]")
CHAIN = """
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer
from transformers import TrainingArguments

data = evaluate.load("glue", "mnli")
name = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(name)


def tokenize(rows):
    return tokenizer(rows["premise"], rows["hypothesis"], truncation=True)


tokens = data.map(tokenize, batched=True)
model = AutoModelForSequenceClassification.from_pretrained(name)
arguments = TrainingArguments("out", evaluation_strategy="epoch", overwrite_output_dir=True)
accuracy = evaluate.load("glue", "mnli")


def score(found):
    answers, labels = found
    return accuracy.compute(predictions=answers, references=labels)


trainer = Trainer(
    model,
    arguments,
    train_dataset=data["train"],
    eval_dataset=data["validation_matched"],
    compute_metrics=score,
)
trainer.train()
"""
"""A chain of seven faults, as one who copies from a page of some years ago has them."""
