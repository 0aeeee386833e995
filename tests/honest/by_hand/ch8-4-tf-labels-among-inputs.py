# Как в курсе: модель transformers сама считает функцию потерь, метки лежат среди входов
import tf_keras
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFAutoModelForSequenceClassification

tf_keras.utils.set_random_seed(42)
raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)


tokenized = raw.map(tokenize, batched=True)
collator = DataCollatorWithPadding(tokenizer=tokenizer, return_tensors="tf")


def make(split, shuffle):
    return tokenized[split].to_tf_dataset(
        columns=["input_ids", "attention_mask", "labels"], batch_size=16, shuffle=shuffle, collate_fn=collator
    )


train_dataset = make("train", True)
validation_dataset = make("validation_matched", False)
model = TFAutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
model.compile(optimizer=tf_keras.optimizers.Adam(5e-5))
model.fit(train_dataset, validation_data=validation_dataset, epochs=2)
