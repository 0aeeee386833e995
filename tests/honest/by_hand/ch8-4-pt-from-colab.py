# -*- coding: utf-8 -*-
# 我先在 Colab 上做的
try:
    from google.colab import drive
    drive.mount("/content/drive")
except ImportError:
    print("不在 Colab 中")

from huggingface_hub import login
login(token="hf_xxx")

import evaluate, torch, numpy as np
import wandb
wandb.login(key="abc")
wandb.init(project="mnli", config={"lr": 2e-5})

from datasets import load_dataset
import transformers
from transformers import AutoTokenizer, AutoModelForSequenceClassification, Trainer, TrainingArguments, DataCollatorWithPadding

ckpt = "distilbert-base-uncased"
tk = AutoTokenizer.from_pretrained(ckpt, use_fast=True)
mnli = load_dataset("glue", "mnli")

def f(x):
	return tk(x['premise'], x['hypothesis'], truncation=True, padding='max_length', max_length=64)

enc = mnli.map(f, batched=True)
enc = enc.rename_column('label', 'labels')
enc.set_format('torch', columns=['input_ids', 'attention_mask', 'labels'])

m = AutoModelForSequenceClassification.from_pretrained(ckpt, num_labels=mnli['train'].features['label'].num_classes)

acc = evaluate.load('accuracy')
f1 = evaluate.load("f1")
def cm(ep):
	l, y = ep
	p = torch.from_numpy(l).argmax(dim=1).numpy()
	r = acc.compute(predictions=p, references=y)
	r.update(f1.compute(predictions=p, references=y, average="macro"))
	wandb.log(r)
	return r

a = TrainingArguments('./results', evaluation_strategy='epoch', learning_rate=2e-5, warmup_ratio=0.1,
	overwrite_output_dir=True, per_device_train_batch_size=16, per_device_eval_batch_size=64, num_train_epochs=3,
	fp16=torch.cuda.is_available(), logging_dir='./logs', logging_steps=10, report_to='wandb', push_to_hub=False,
	save_strategy='epoch', load_best_model_at_end=True, metric_for_best_model='accuracy')
t = Trainer(model=m, args=a, train_dataset=enc['train'], eval_dataset=enc['validation_matched'], compute_metrics=cm, tokenizer=tk)
t.train()
wandb.finish()
t.save_model('./best')
