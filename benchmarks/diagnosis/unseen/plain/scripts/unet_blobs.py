# Segmentation of bright cells, small U-Net, BCE + dice
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(42)
SIZE = 24


class Cells(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
        self.images, self.masks = [], []
        for _ in range(n):
            mask = torch.zeros(SIZE, SIZE)
            for _ in range(int(torch.randint(1, 4, (1,), generator=g))):
                cx, cy, r = (torch.randint(lo, hi, (1,), generator=g).item() for lo, hi in ((3, SIZE - 3), (3, SIZE - 3), (2, 5)))
                mask[(xx - cx) ** 2 + (yy - cy) ** 2 <= r * r] = 1
            light = (xx + yy) / (2 * SIZE) * torch.rand(1, generator=g)
            image = 100 + 60 * mask + 80 * light + 35 * torch.randn(SIZE, SIZE, generator=g)
            self.images.append(image.clamp(0, 255).unsqueeze(0))
            self.masks.append(mask.unsqueeze(0))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return (self.images[i] - 128) / 64, self.masks[i]


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.down1 = double_conv(1, width)
        self.down2 = double_conv(width, 2 * width)
        self.bottom = double_conv(2 * width, 4 * width)
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.conv2 = double_conv(4 * width, 2 * width)
        self.up1 = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.conv1 = double_conv(2 * width, width)
        self.last = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        d1 = self.down1(x)
        d2 = self.down2(self.pool(d1))
        b = self.bottom(self.pool(d2))
        u2 = self.conv2(torch.cat([self.up2(b), d2], dim=1))
        u1 = self.conv1(torch.cat([self.up1(u2), d1], dim=1))
        return self.last(u1)


def dice_loss(logits, target, eps=1.0):
    prob = torch.sigmoid(logits)
    inter = (prob * target).sum(dim=(1, 2, 3))
    total = prob.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3))
    return (1 - (2 * inter + eps) / (total + eps)).mean()


train_loader = DataLoader(Cells(500, seed=1), batch_size=25, shuffle=True)
valid_loader = DataLoader(Cells(150, seed=2), batch_size=50)
model = UNet()
bce = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
best_iou = 0.0
best_weights = None


def validate():
    model.eval()
    inter = union = 0.0
    with torch.no_grad():
        for image, mask in valid_loader:
            said = torch.sigmoid(model(image)) > 0.5
            inter += (said & (mask > 0.5)).sum().item()
            union += (said | (mask > 0.5)).sum().item()
    return inter / union


for epoch in range(6):
    model.train()
    losses = []
    for image, mask in train_loader:
        logits = model(image)
        loss = bce(logits, mask) + dice_loss(logits, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    iou = validate()
    print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}  IoU {iou:.4f}")
    if iou > best_iou:
        best_iou = iou
        best_weights = {k: v.clone() for k, v in model.state_dict().items()}

model.load_state_dict(best_weights)
print(f"RESULT {validate():.4f}")
