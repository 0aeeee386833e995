# %% [markdown]
# # Masked language modelling: concatenate, chunk, mask
# %%
from itertools import chain

from datasets import load_dataset
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)
# %%
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
chunk_size = 32


def tokenize(examples):
    return tokenizer(examples["sentence1"])


tokenized = raw.map(tokenize, batched=True, remove_columns=["sentence1", "sentence2", "label", "idx"])


# %%
def group_texts(examples):
    joined = {k: list(chain(*examples[k])) for k in examples.keys()}
    total = len(joined["input_ids"]) // chunk_size * chunk_size
    return {k: [t[i : i + chunk_size] for i in range(0, total, chunk_size)] for k, t in joined.items()}


chunks = tokenized.map(group_texts, batched=True)
# %%
config = BertConfig(
    vocab_size=tokenizer.vocab_size,
    hidden_size=64,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=128,
    max_position_embeddings=64,
)
model = BertForMaskedLM(config)
collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=True, mlm_probability=0.15)
args = TrainingArguments(
    output_dir="mlm",
    learning_rate=3e-3,
    num_train_epochs=4,
    per_device_train_batch_size=16,
    eval_strategy="steps",
    eval_steps=100,
    save_strategy="no",
    logging_steps=25,
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=chunks["train"],
    eval_dataset=chunks["validation"],
    data_collator=collator,
)
# %%
print("before", trainer.evaluate()["eval_loss"])
trainer.train()
print("after", trainer.evaluate()["eval_loss"])
