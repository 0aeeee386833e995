"""Find an answer between two marks: question answering with a tiny BERT and the Trainer."""

import torch
from datasets import Dataset
from transformers import BertConfig, BertForQuestionAnswering, Trainer, TrainingArguments
from transformers import default_data_collator, set_seed

SEED = 0
set_seed(SEED)


def make_questions(number):
    ids = torch.randint(10, 40, (number, 16))
    starts = torch.randint(1, 12, (number,))
    ends = starts + 2
    rows = torch.arange(number)
    ids[rows, starts] = 5
    ids[rows, ends] = 6
    columns = {"input_ids": ids.tolist(), "attention_mask": torch.ones_like(ids).tolist()}
    columns["start_positions"] = starts.tolist()
    columns["end_positions"] = ends.tolist()
    return Dataset.from_dict(columns)


train_dataset = make_questions(640)
eval_dataset = make_questions(96)
config = BertConfig(
    vocab_size=40,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=16,
)
model = BertForQuestionAnswering(config)
args = TrainingArguments(
    output_dir="results",
    learning_rate=3e-3,
    per_device_train_batch_size=16,
    num_train_epochs=3,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    data_collator=default_data_collator,
)
trainer.train()
metrics = trainer.evaluate()
print(metrics["eval_loss"])
