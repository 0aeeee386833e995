"""Extractive question answering with offsets."""
import random

import torch
from datasets import Dataset
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForQuestionAnswering,
    DefaultDataCollator,
    Trainer,
    TrainingArguments,
)

random.seed(0)
torch.manual_seed(0)
CITIES = "lagos perth lisbon seoul manila athens prague dublin berlin vienna oslo lima".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
PLACES = "theatre museum hospital library stadium school".split()


def example():
    city, day, place = random.choice(CITIES), random.choice(DAYS), random.choice(PLACES)
    context = random.choice(
        [
            f"the {place} in {city} opened on {day} .",
            f"on {day} the old {place} of {city} was closed .",
            f"according to the police , a fire hit the {place} on {day} in {city} .",
        ]
    )
    return {"question": "where was it ?", "context": context, "answer_text": city, "start": context.index(city)}


train_raw = Dataset.from_list([example() for _ in range(900)])
valid_raw = Dataset.from_list([example() for _ in range(120)])
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
max_length = 48


def prepare(examples):
    inputs = tokenizer(
        examples["question"],
        examples["context"],
        max_length=max_length,
        truncation="only_second",
        return_offsets_mapping=True,
        padding="max_length",
    )
    starts, ends = [], []
    for i, offsets in enumerate(inputs["offset_mapping"]):
        begin = examples["start"][i]
        finish = begin + len(examples["answer_text"][i])
        sequence_ids = inputs.sequence_ids(i)
        first = last = 0
        for position, (a, b) in enumerate(offsets):
            if sequence_ids[position] != 1:
                continue
            if a <= begin < b:
                first = position
            if a < finish <= b:
                last = position
        starts.append(first)
        ends.append(last)
    inputs["start_positions"] = starts
    inputs["end_positions"] = ends
    inputs.pop("offset_mapping")
    return inputs


train = train_raw.map(prepare, batched=True, remove_columns=train_raw.column_names)
valid = valid_raw.map(prepare, batched=True, remove_columns=valid_raw.column_names)
model = BertForQuestionAnswering(
    BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=96,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=64,
    )
)


def exact(prediction):
    start_logits, end_logits = prediction.predictions
    starts, ends = prediction.label_ids
    hit = (start_logits.argmax(-1) == starts) & (end_logits.argmax(-1) == ends)
    return {"exact_match": float(hit.mean())}


trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="qa",
        per_device_train_batch_size=16,
        per_device_eval_batch_size=60,
        learning_rate=2e-3,
        num_train_epochs=4,
        logging_steps=20,
        save_strategy="no",
        report_to=[],
        seed=0,
    ),
    train_dataset=train,
    eval_dataset=valid,
    data_collator=DefaultDataCollator(),
    compute_metrics=exact,
)
trainer.train()
print(trainer.evaluate())
