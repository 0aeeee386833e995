"""Named entities with word_ids, as the course does it, on sentences made here."""
import random

import numpy as np
from datasets import Dataset, DatasetDict
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForTokenClassification,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)
random.seed(0)
label_list = ["O", "PER", "LOC", "ORG"]
people = ["Omar", "Ivan", "Anna", "Peter", "Zlatko", "Mirabelle"]
cities = ["Lagos", "Perth", "Lisbon", "Oslo", "Reykjavik", "Trondheim"]
firms = ["Granite", "Corvane", "Dunmore", "Kestrel", "Wexcorp"]


def sentence():
    words, tags = [], []
    for word in random.choice(["X P L", "in L X O X", "P left O", "O said P will visit L", "P"]).split():
        if word == "P":
            words.append(random.choice(people)), tags.append(1)
        elif word == "L":
            words.append(random.choice(cities)), tags.append(2)
        elif word == "O":
            words.append(random.choice(firms)), tags.append(3)
        elif word == "X":
            words.append(random.choice(["the", "after", "and", "many"])), tags.append(0)
        else:
            words.append(word), tags.append(0)
    return {"tokens": words, "ner_tags": tags}


raw = DatasetDict(
    {
        "train": Dataset.from_list([sentence() for _ in range(800)]),
        "validation": Dataset.from_list([sentence() for _ in range(150)]),
    }
)
tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")


def align_labels_with_tokens(labels, word_ids):
    new_labels = []
    current_word = None
    for word_id in word_ids:
        if word_id is None:
            new_labels.append(-100)
        elif word_id != current_word:
            current_word = word_id
            new_labels.append(labels[word_id])
        else:
            new_labels.append(-100)
    return new_labels


def tokenize_and_align_labels(examples):
    tokenized_inputs = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
    new_labels = []
    for i, labels in enumerate(examples["ner_tags"]):
        word_ids = tokenized_inputs.word_ids(i)
        new_labels.append(align_labels_with_tokens(labels, word_ids))
    tokenized_inputs["labels"] = new_labels
    return tokenized_inputs


tokenized = raw.map(tokenize_and_align_labels, batched=True, remove_columns=raw["train"].column_names)
data_collator = DataCollatorForTokenClassification(tokenizer=tokenizer)

id2label = dict(enumerate(label_list))
label2id = {v: k for k, v in id2label.items()}
config = BertConfig(
    vocab_size=len(tokenizer),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=128,
    id2label=id2label,
    label2id=label2id,
)
model = BertForTokenClassification(config)


def compute_metrics(eval_preds):
    logits, labels = eval_preds
    predictions = np.argmax(logits, axis=-1)
    mask = labels != -100
    entity = mask & (labels > 0)
    return {
        "accuracy": float((predictions == labels)[mask].mean()),
        "entity_recall": float((predictions == labels)[entity].mean()),
    }


args = TrainingArguments(
    "ner",
    eval_strategy="epoch",
    save_strategy="no",
    learning_rate=1e-3,
    num_train_epochs=3,
    per_device_train_batch_size=16,
    report_to="none",
    logging_steps=10,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation"],
    data_collator=data_collator,
    compute_metrics=compute_metrics,
    processing_class=tokenizer,
)
trainer.train()
