"""任务：在 MNLI 上微调 DistilBERT。作者：张伟"""
from __future__ import annotations

import argparse
import dataclasses
import logging
import os
import random
import subprocess
import sys
from pathlib import Path

import dill
import numpy as np
import torch
from datasets import DatasetDict, load_dataset
from sklearn.metrics import accuracy_score, f1_score
from transformers import (AutoConfig, AutoModelForSequenceClassification, AutoTokenizer,
                          DataCollatorWithPadding, EvalPrediction, Trainer, TrainingArguments)

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
日志 = logging.getLogger("作业")


@dataclasses.dataclass(frozen=True)
class 设置:
    检查点: str = "distilbert-base-uncased"
    学习率: float = 3e-5
    轮数: int = 2
    批大小: int = 16
    种子: int = 2024


def 固定种子(种子: int) -> None:
    random.seed(种子)
    np.random.seed(种子)
    torch.manual_seed(种子)


def 准备数据(分词器, 名称: str = "mnli") -> DatasetDict:
    原始 = load_dataset("glue", 名称)
    日志.info(f"训练集共有 {len(原始['train'])} 个样本，标签：{原始['train'].features['label'].names}")
    # 去掉不需要的列，留下 label
    多余 = [c for c in 原始["train"].column_names if c != "label"]
    return 原始.map(lambda 行: 分词器(行["premise"], 行["hypothesis"], truncation=True),
                   batched=True, remove_columns=多余)


def 指标(p: EvalPrediction) -> dict[str, float]:
    预测 = np.argmax(p.predictions, axis=1)
    return {"准确率": accuracy_score(p.label_ids, 预测),
            "f1": f1_score(p.label_ids, 预测, average="macro")}


def main(argv: list[str] | None = None) -> int:
    解析 = argparse.ArgumentParser(description="微调")
    解析.add_argument("--lr", type=float, default=设置.学习率)
    解析.add_argument("--epochs", type=int, default=设置.轮数)
    选项, _ = 解析.parse_known_args(argv)
    s = 设置(学习率=选项.lr, 轮数=选项.epochs)
    固定种子(s.种子)
    try:
        版本 = subprocess.run([sys.executable, "--version"], capture_output=True, text=True).stdout
        日志.info("Python：%s", 版本.strip())
    except OSError as e:
        日志.warning("无法运行：%s", e)
    分词器 = AutoTokenizer.from_pretrained(s.检查点)
    数据 = 准备数据(分词器)
    标签 = 数据["train"].features["label"].names
    配置 = AutoConfig.from_pretrained(s.检查点, num_labels=len(标签),
                                  id2label=dict(enumerate(标签)),
                                  label2id={n: i for i, n in enumerate(标签)})
    模型 = AutoModelForSequenceClassification.from_pretrained(s.检查点, config=配置)
    参数 = TrainingArguments(output_dir="输出", learning_rate=s.学习率, num_train_epochs=s.轮数,
                           per_device_train_batch_size=s.批大小, eval_strategy="epoch",
                           save_strategy="no", seed=s.种子, report_to=[])
    训练器 = Trainer(model=模型, args=参数, train_dataset=数据["train"],
                  eval_dataset=数据["validation_matched"], compute_metrics=指标,
                  data_collator=DataCollatorWithPadding(分词器), processing_class=分词器)
    结果 = 训练器.train()
    最终 = 训练器.evaluate()
    日志.info("结果：%s", 最终)
    Path("结果.pkl").write_bytes(dill.dumps({"设置": dataclasses.asdict(s), "结果": 最终}))
    with open("结果.pkl", "rb") as f:
        print(dill.load(f))
    return 0


if __name__ == "__main__":
    sys.exit(main())
