"""Named entities: word labels are aligned with word pieces."""
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

set_seed(1)
random.seed(1)
label_list = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
label2id = {l: i for i, l in enumerate(label_list)}
id2label = {i: l for l, i in label2id.items()}

FIRST = ["Anna", "Peter", "Maria", "John", "Eva", "Paul"]
LAST = ["Smith", "Berger", "Novak", "Rossi", "Klein"]
CITY = [["Vienna"], ["Paris"], ["New", "York"], ["Rome"], ["San", "Marino"]]
TEMPLATES = [
    "P went to L on Monday .", "In L the people met P .", "P and P live in L now .",
    "The train from L to L was late .", "Nobody knew where P was .", "L is larger than L , said P .",
]


def make_sentence():
    tokens, tags = [], []
    for word in random.choice(TEMPLATES).split():
        if word == "P":
            tokens.append(random.choice(FIRST))
            tags.append("B-PER")
            if random.random() < 0.6:
                tokens.append(random.choice(LAST))
                tags.append("I-PER")
        elif word == "L":
            city = random.choice(CITY)
            tokens += city
            tags += ["B-LOC"] + ["I-LOC"] * (len(city) - 1)
        else:
            tokens.append(word)
            tags.append("O")
    return {"tokens": tokens, "ner_tags": [label2id[t] for t in tags]}


raw = DatasetDict({
    "train": Dataset.from_list([make_sentence() for _ in range(500)]),
    "validation": Dataset.from_list([make_sentence() for _ in range(100)]),
})
tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")


def align_labels_with_tokens(labels, word_ids):
    new_labels = []
    current_word = None
    for word_id in word_ids:
        if word_id is None:
            new_labels.append(-100)
        elif word_id != current_word:
            new_labels.append(labels[word_id])
        else:
            label = labels[word_id]
            # B-XXX of a split word goes on as I-XXX
            if label % 2 == 1:
                label += 1
            new_labels.append(label)
        current_word = word_id
    return new_labels


def tokenize_and_align_labels(examples):
    tokenized_inputs = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
    all_labels = examples["ner_tags"]
    new_labels = []
    for i, labels in enumerate(all_labels):
        word_ids = tokenized_inputs.word_ids(i)
        new_labels.append(align_labels_with_tokens(labels, word_ids))
    tokenized_inputs["labels"] = new_labels
    return tokenized_inputs


tokenized = raw.map(tokenize_and_align_labels, batched=True, remove_columns=raw["train"].column_names)
data_collator = DataCollatorForTokenClassification(tokenizer=tokenizer)

config = BertConfig(
    vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=128, max_position_embeddings=128,
    num_labels=len(label_list), id2label=id2label, label2id=label2id,
)
model = BertForTokenClassification(config)


def compute_metrics(eval_preds):
    logits, labels = eval_preds
    predictions = np.argmax(logits, axis=-1)
    keep = labels != -100
    entity = keep & (labels != 0)
    return {
        "accuracy": float((predictions[keep] == labels[keep]).mean()),
        "entity_accuracy": float((predictions[entity] == labels[entity]).mean()),
    }


args = TrainingArguments(
    output_dir="ner",
    eval_strategy="epoch",
    save_strategy="no",
    learning_rate=2e-3,
    num_train_epochs=5,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=32,
    weight_decay=0.01,
    disable_tqdm=True,
    report_to="none",
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
metrics = trainer.evaluate()
print(f"RESULT {metrics['eval_entity_accuracy']:.4f}")
