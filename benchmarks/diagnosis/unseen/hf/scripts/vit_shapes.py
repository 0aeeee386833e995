"""Image classification: a small ViT, images drawn here, transforms on the fly."""
import numpy as np
import torch
from datasets import Dataset, Features, Array3D, ClassLabel
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification, set_seed

set_seed(0)
rng = np.random.default_rng(0)
names = ["square", "cross", "stripe"]


def draw(kind):
    image = rng.normal(100, 20, (16, 16, 3))
    y, x = rng.integers(2, 8, 2)
    if kind == 0:
        image[y : y + 6, x : x + 6] += 120
    elif kind == 1:
        image[y + 2 : y + 4, x : x + 6] += 120
        image[y : y + 6, x + 2 : x + 4] += 120
    else:
        image[y : y + 2, :] += 120
    return image.clip(0, 255).astype("uint8")


kinds = rng.integers(0, 3, 700)
features = Features({"image": Array3D((16, 16, 3), "uint8"), "label": ClassLabel(names=names)})
dataset = Dataset.from_dict({"image": [draw(k) for k in kinds], "label": kinds.tolist()}, features=features)
dataset = dataset.train_test_split(test_size=100, seed=0)


def transform(batch):
    pixels = [torch.tensor(np.array(i), dtype=torch.float32).permute(2, 0, 1) for i in batch["image"]]
    batch["pixel_values"] = [(p / 255 - 0.5) / 0.5 for p in pixels]
    del batch["image"]
    return batch


train = dataset["train"].with_transform(transform)
test = dataset["test"].with_transform(transform)


def collate_fn(examples):
    return {
        "pixel_values": torch.stack([e["pixel_values"] for e in examples]),
        "labels": torch.tensor([e["label"] for e in examples]),
    }


model = ViTForImageClassification(
    ViTConfig(
        image_size=16,
        patch_size=4,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=96,
        num_labels=len(names),
        id2label=dict(enumerate(names)),
        label2id={n: i for i, n in enumerate(names)},
    )
)
args = TrainingArguments(
    output_dir="vit",
    per_device_train_batch_size=25,
    num_train_epochs=8,
    learning_rate=2e-3,
    remove_unused_columns=False,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    logging_steps=10,
)


def compute_metrics(eval_pred):
    return {"accuracy": float((np.argmax(eval_pred.predictions, axis=1) == eval_pred.label_ids).mean())}


trainer = Trainer(
    model=model,
    args=args,
    data_collator=collate_fn,
    train_dataset=train,
    eval_dataset=test,
    compute_metrics=compute_metrics,
)
trainer.train()
