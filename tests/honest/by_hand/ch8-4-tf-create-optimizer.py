# 用 transformers 自带的 create_optimizer；自定义回调计算准确率
import evaluate
import numpy as np
import tf_keras
from datasets import load_dataset
from transformers import (
    AutoTokenizer,
    DefaultDataCollator,
    KerasMetricCallback,
    TFAutoModelForSequenceClassification,
    create_optimizer,
)

tf_keras.utils.set_random_seed(42)
ckpt = "distilbert-base-uncased"
raw = load_dataset("glue", "mnli")
tokenizer = AutoTokenizer.from_pretrained(ckpt)


def preprocess(examples):
    return tokenizer(examples["premise"], examples["hypothesis"], truncation=True, padding="max_length", max_length=48)


encoded = raw.map(preprocess, batched=True, remove_columns=["premise", "hypothesis", "idx"])
collator = DefaultDataCollator(return_tensors="np")
model = TFAutoModelForSequenceClassification.from_pretrained(ckpt, num_labels=3)
train = model.prepare_tf_dataset(encoded["train"], batch_size=16, shuffle=True, collate_fn=collator)
valid = model.prepare_tf_dataset(encoded["validation_matched"], batch_size=16, shuffle=False, collate_fn=collator)
epochs = 2
optimizer, schedule = create_optimizer(
    init_lr=5e-5, num_train_steps=len(train) * epochs, num_warmup_steps=0, weight_decay_rate=0.01
)
model.compile(optimizer=optimizer)
accuracy = evaluate.load("accuracy")


def metrics(prediction):
    logits, labels = prediction
    return accuracy.compute(predictions=np.argmax(logits, axis=1), references=labels)


model.fit(train, validation_data=valid, epochs=epochs, callbacks=[KerasMetricCallback(metrics, eval_dataset=valid)])
