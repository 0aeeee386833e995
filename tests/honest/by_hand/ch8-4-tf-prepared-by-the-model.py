import tensorflow as tf
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFAutoModelForSequenceClassification, create_optimizer, set_seed

set_seed(42)
raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)

def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)

tokenized = raw.map(tokenize, batched=True)
model = TFAutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
collator = DataCollatorWithPadding(tokenizer, return_tensors="tf")

# prepare_tf_dataset knows which columns the model wants
train = model.prepare_tf_dataset(tokenized["train"], batch_size=16, shuffle=True, collate_fn=collator)
val = model.prepare_tf_dataset(tokenized["validation_matched"], batch_size=16, shuffle=False, collate_fn=collator)

epochs = 2
optimizer, schedule = create_optimizer(
    init_lr=5e-5, num_warmup_steps=0, num_train_steps=epochs * len(train), weight_decay_rate=0.01
)
model.compile(optimizer=optimizer, metrics=["accuracy"])   # the model brings its own loss
model.fit(train, validation_data=val, epochs=epochs)
