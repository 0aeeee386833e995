"""Small ViT on drawn shapes, with the Trainer."""
import numpy as np
import torch
from torch.utils.data import Dataset, Subset
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification, set_seed

set_seed(17)
IMAGE_SIZE = 24
names = ["square", "cross", "bar"]
id2label = dict(enumerate(names))
label2id = {v: k for k, v in id2label.items()}


class ShapesDataset(Dataset):
    """Grey shapes with noise; pixel values between 0 and 255 as in a photograph."""

    def __init__(self, n):
        rng = np.random.default_rng(17)
        self.images, self.targets = [], []
        for i in range(n):
            target = i * len(names) // n
            img = rng.normal(60, 20, size=(IMAGE_SIZE, IMAGE_SIZE))
            x, y = rng.integers(3, IMAGE_SIZE - 11, size=2)
            if target == 0:
                img[y:y + 8, x:x + 8] += 110
            elif target == 1:
                img[y + 3:y + 5, x:x + 8] += 110
                img[y:y + 8, x + 3:x + 5] += 110
            else:
                img[y:y + 2, x:x + 8] += 110
            self.images.append(np.clip(img, 0, 255))
            self.targets.append(target)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        pixels = torch.tensor(self.images[i], dtype=torch.float32) / 127.5 - 1.0
        return {"pixel_values": pixels.unsqueeze(0).repeat(3, 1, 1), "labels": self.targets[i]}


full = ShapesDataset(900)
order = np.random.default_rng(17).permutation(len(full)).tolist()
train_ds = Subset(full, order[:750])
test_ds = Subset(full, order[750:])

config = ViTConfig(
    image_size=IMAGE_SIZE, patch_size=4, num_channels=3, hidden_size=48, num_hidden_layers=2,
    num_attention_heads=4, intermediate_size=96, num_labels=len(names), id2label=id2label, label2id=label2id,
)
model = ViTForImageClassification(config)


def collate_fn(examples):
    pixel_values = torch.stack([e["pixel_values"] for e in examples])
    labels = torch.tensor([e["labels"] for e in examples])
    return {"pixel_values": pixel_values, "labels": labels}


def compute_metrics(p):
    preds = p.predictions.argmax(axis=1)
    return {"accuracy": float((preds == p.label_ids).mean())}


args = TrainingArguments(
    output_dir="vit-shapes",
    remove_unused_columns=False,
    per_device_train_batch_size=25,
    per_device_eval_batch_size=50,
    num_train_epochs=10,
    learning_rate=2e-3,
    eval_strategy="epoch",
    save_strategy="no",
    logging_strategy="epoch",
    report_to="none",
)
trainer = Trainer(
    model=model, args=args, train_dataset=train_ds, eval_dataset=test_ds,
    data_collator=collate_fn, compute_metrics=compute_metrics,
)
trainer.train()
print("RESULT", round(trainer.evaluate()["eval_accuracy"], 4))
