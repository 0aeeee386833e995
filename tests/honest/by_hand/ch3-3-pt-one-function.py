# 两次训练放进一个函数
import evaluate
import numpy as np
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer, TrainingArguments, set_seed

名 = "bert-base-cased"
raw = load_dataset("glue", "mrpc")
tok = AutoTokenizer.from_pretrained(名)
data = raw.map(lambda p: tok(p["sentence1"], p["sentence2"], truncation=True), batched=True)
metric = evaluate.load("glue", "mrpc")


def 打分(p):
    return metric.compute(predictions=np.argmax(p.predictions, axis=1), references=p.label_ids)


def 新训练器(**更多):
    set_seed(42)
    model = AutoModelForSequenceClassification.from_pretrained(名, num_labels=raw["train"].features["label"].num_classes)
    args = TrainingArguments("bert-on-mrpc", num_train_epochs=2, per_device_train_batch_size=16, eval_strategy="epoch", save_strategy="no", report_to="none")
    return Trainer(model, args, train_dataset=data["train"], eval_dataset=data["validation"], data_collator=DataCollatorWithPadding(tok), **更多)


第一 = 新训练器()
第一.train()
输出 = 第一.predict(data["validation"])
print(f"手工：{打分(输出)}")
第二 = 新训练器(compute_metrics=打分)
print("未训练：", 第二.evaluate())
第二.train()
print(第二.evaluate())
