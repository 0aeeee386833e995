import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(0)
N_KLASSEN = 8
gemeinsam = torch.randn(1, 1, 12, 12)
muster = gemeinsam + 0.45 * torch.randn(N_KLASSEN, 1, 12, 12)


def bilder(anzahl):
    k = torch.randint(0, N_KLASSEN, (anzahl,))
    x = muster[k] + 0.9 * torch.randn(anzahl, 1, 12, 12)
    return x, k


class Bilddaten(Dataset):
    def __init__(self, anzahl, augment=False):
        self.x, self.k = bilder(anzahl)
        self.augment = augment

    def __len__(self):
        return self.k.numel()

    def __getitem__(self, i):
        bild = self.x[i].clone()
        if self.augment:
            bild *= 0.8 + 0.4 * torch.rand(1)
            bild += 0.4 * torch.randn_like(bild)
        return bild, self.k[i]


train = DataLoader(Bilddaten(300, augment=True), batch_size=30, shuffle=True)
test = DataLoader(Bilddaten(800), batch_size=400)

modell = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(8 * 36, N_KLASSEN),
)
opt = torch.optim.AdamW(modell.parameters(), lr=2e-3)

for epoche in range(40):
    modell.train()
    summe = 0.0
    for x, k in train:
        verlust = nn.functional.cross_entropy(modell(x), k)
        opt.zero_grad(set_to_none=True)
        verlust.backward()
        opt.step()
        summe += verlust.item()
    modell.eval()
    richtig = 0
    with torch.no_grad():
        for x, k in test:
            richtig += (modell(x).argmax(1) == k).sum().item()
    if epoche % 8 == 7:
        print(f"Epoche {epoche + 1:2d}  Verlust {summe / len(train):.3f}  Test {richtig / 800:.3f}")
print(f"FINAL train_loss={summe / len(train):.4f} test_acc={richtig / 800:.4f}")
