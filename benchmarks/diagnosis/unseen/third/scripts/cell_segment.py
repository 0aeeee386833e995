import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(11)
SIZE = 32


def fake_micrographs(n):
    """Pictures with bright cells (1), dark vacuoles (2) on an uneven background (0)."""
    yy, xx = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    imgs, masks = [], []
    for _ in range(n):
        slope = torch.randn(2) * 0.3
        img = (slope[0] * xx + slope[1] * yy) / SIZE + 0.5 * torch.rand(1)
        mask = torch.zeros(SIZE, SIZE, dtype=torch.long)
        for _ in range(int(torch.randint(1, 4, (1,)))):
            cx, cy = (torch.rand(2) * (SIZE - 8) + 4).tolist()
            a, b = (torch.rand(2) * 4 + 3).tolist()
            inside = ((xx - cx) / a) ** 2 + ((yy - cy) / b) ** 2 < 1
            mask[inside] = 1
            img[inside] += 0.8
        for _ in range(int(torch.randint(1, 3, (1,)))):
            cx, cy = (torch.rand(2) * (SIZE - 8) + 4).tolist()
            r = float(torch.rand(1) * 2 + 2)
            inside = (xx - cx) ** 2 + (yy - cy) ** 2 < r * r
            mask[inside] = 2
            img[inside] -= 0.9
        imgs.append(img + 0.35 * torch.randn(SIZE, SIZE))
        masks.append(mask)
    return torch.stack(imgs).unsqueeze(1), torch.stack(masks)


class DoubleConv(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(
            nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
            nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        )


class MiniUNet(nn.Module):
    def __init__(self, n_classes=3, w=8):
        super().__init__()
        self.down1 = DoubleConv(1, w)
        self.down2 = DoubleConv(w, 2 * w)
        self.mid = DoubleConv(2 * w, 4 * w)
        self.up2 = nn.ConvTranspose2d(4 * w, 2 * w, 2, stride=2)
        self.dec2 = DoubleConv(4 * w, 2 * w)
        self.up1 = nn.ConvTranspose2d(2 * w, w, 2, stride=2)
        self.dec1 = DoubleConv(2 * w, w)
        self.out = nn.Conv2d(w, n_classes, 1)

    def forward(self, x):
        d1 = self.down1(x)
        d2 = self.down2(F.max_pool2d(d1, 2))
        m = self.mid(F.max_pool2d(d2, 2))
        u2 = self.dec2(torch.cat([self.up2(m), d2], dim=1))
        u1 = self.dec1(torch.cat([self.up1(u2), d1], dim=1))
        return self.out(u1)


def dice_loss(logits, target, eps=1.0):
    probs = logits.softmax(dim=1)
    onehot = F.one_hot(target, logits.size(1)).permute(0, 3, 1, 2).float()
    inter = (probs * onehot).sum(dim=(0, 2, 3))
    union = probs.sum(dim=(0, 2, 3)) + onehot.sum(dim=(0, 2, 3))
    return 1 - ((2 * inter + eps) / (union + eps)).mean()


class SegTrainer:
    def __init__(self, model, train_loader, val_loader, lr=5e-3, epochs=6):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.epochs = epochs
        self.optim = torch.optim.Adam(model.parameters(), lr=lr)
        self.weights = torch.tensor([0.6, 1.0, 1.5])

    def training_step(self, imgs, masks):
        logits = self.model(imgs)
        loss = F.cross_entropy(logits, masks, weight=self.weights) + 0.5 * dice_loss(logits, masks)
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        return loss.item()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        inter = torch.zeros(3)
        union = torch.zeros(3)
        for imgs, masks in self.val_loader:
            pred = self.model(imgs).argmax(dim=1)
            for c in range(3):
                inter[c] += ((pred == c) & (masks == c)).sum()
                union[c] += ((pred == c) | (masks == c)).sum()
        return inter / union

    def fit(self):
        for epoch in range(self.epochs):
            self.model.train()
            losses = [self.training_step(i, m) for i, m in self.train_loader]
            iou = self.validate()
            print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f} mIoU {iou.mean():.4f} "
                  + " ".join(f"{v:.3f}" for v in iou))


images, masks = fake_micrographs(500)
dataset = TensorDataset(images, masks)
train_set, val_set = random_split(dataset, [400, 100], generator=torch.Generator().manual_seed(0))
trainer = SegTrainer(
    MiniUNet(),
    DataLoader(train_set, batch_size=16, shuffle=True),
    DataLoader(val_set, batch_size=50),
)
trainer.fit()
print("final mIoU", trainer.validate().mean().item())
