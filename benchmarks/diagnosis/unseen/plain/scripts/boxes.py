"""Localisation: which shape is it, and where? A class and a box for each picture."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
SIZE = 24
N_TRAIN, N_TEST = 1600, 400
EPOCHS = 6
BOX_WEIGHT = 20.0


def make_pictures(n):
    images = torch.rand(n, 1, SIZE, SIZE) * 0.3
    labels = torch.randint(0, 3, (n,))
    boxes = torch.zeros(n, 4)
    grid_y, grid_x = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    for k in range(n):
        w, h = torch.randint(6, 13, (2,)).tolist()
        x0 = torch.randint(0, SIZE - w + 1, (1,)).item()
        y0 = torch.randint(0, SIZE - h + 1, (1,)).item()
        inside = (grid_x >= x0) & (grid_x < x0 + w) & (grid_y >= y0) & (grid_y < y0 + h)
        if labels[k] == 1:
            cx, cy = x0 + (w - 1) / 2, y0 + (h - 1) / 2
            inside &= ((grid_x - cx) / (w / 2)) ** 2 + ((grid_y - cy) / (h / 2)) ** 2 <= 1
        elif labels[k] == 2:
            inside &= ((grid_x == x0) | (grid_x == x0 + w - 1) | (grid_y == y0) | (grid_y == y0 + h - 1))
        images[k, 0][inside] += 0.7
        boxes[k] = torch.tensor([x0, y0, x0 + w, y0 + h]) / SIZE
    return images, labels, boxes


class Locator(nn.Module):
    def __init__(self, n_classes=3):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.trunk = nn.Sequential(nn.Flatten(), nn.Linear(16 * 6 * 6, 96), nn.ReLU())
        self.dropout = nn.Dropout(0.2)
        self.classifier = nn.Linear(96, n_classes)
        self.box_head = nn.Linear(96, 4)

    def forward(self, x):
        h = self.trunk(self.features(x))
        return self.classifier(self.dropout(h)), torch.sigmoid(self.box_head(h))


def iou(a, b):
    lt = torch.max(a[:, :2], b[:, :2])
    rb = torch.min(a[:, 2:], b[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(dim=1)
    area_a = (a[:, 2:] - a[:, :2]).clamp(min=0).prod(dim=1)
    area_b = (b[:, 2:] - b[:, :2]).prod(dim=1)
    return inter / (area_a + area_b - inter)


def train_step(model, optimizer, images, labels, boxes):
    model.train()
    scores, pred_boxes = model(images)
    cls_loss = F.cross_entropy(scores, labels)
    box_loss = F.smooth_l1_loss(pred_boxes, boxes)
    loss = cls_loss + BOX_WEIGHT * box_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return cls_loss.item(), box_loss.item()


@torch.no_grad()
def test(model, loader):
    model.eval()
    n_right, ious = 0, []
    for images, labels, boxes in loader:
        scores, pred_boxes = model(images)
        n_right += (scores.argmax(dim=1) == labels).sum().item()
        ious.append(iou(pred_boxes, boxes))
    return n_right / len(loader.dataset), torch.cat(ious).mean().item()


if __name__ == "__main__":
    train_data = TensorDataset(*make_pictures(N_TRAIN))
    test_data = TensorDataset(*make_pictures(N_TEST))
    train_loader = DataLoader(train_data, batch_size=40, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_data, batch_size=100)

    model = Locator()
    optimizer = torch.optim.Adam(model.parameters(), lr=1.5e-3)
    for epoch in range(EPOCHS):
        sums = [0.0, 0.0]
        for images, labels, boxes in train_loader:
            c, b = train_step(model, optimizer, images, labels, boxes)
            sums[0] += c / len(train_loader)
            sums[1] += b / len(train_loader)
        acc, mean_iou = test(model, test_loader)
        print(f"epoch {epoch + 1}: class loss {sums[0]:.4f} box loss {sums[1]:.5f} | test acc {acc:.3f} IoU {mean_iou:.3f}")
    print(f"RESULT {mean_iou:.4f}")
