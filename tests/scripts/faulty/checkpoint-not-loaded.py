"""The tokenizer and the shape are those of a checkpoint, the weights are not."""

import torch
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

torch.manual_seed(0)
NAME = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(NAME)
config = AutoConfig.from_pretrained(NAME, num_labels=2)
model = AutoModelForSequenceClassification.from_config(config)
pairs = load_dataset("glue", "mrpc")["train"].select(range(200))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
for start in range(0, len(pairs), 8):
    rows = pairs[start : start + 8]
    batch = tokenizer(rows["sentence1"], rows["sentence2"], padding=True, return_tensors="pt")
    loss = model(**batch, labels=torch.tensor(rows["label"])).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
