# plain GAN, saturating-free loss, two optimizers, one shared forward of the fakes
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(12)
gen = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
dis = nn.Sequential(nn.Linear(1, 32), nn.LeakyReLU(0.1), nn.Linear(32, 32), nn.LeakyReLU(0.1), nn.Linear(32, 1))
g_opt = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.5, 0.99))
d_opt = torch.optim.Adam(dis.parameters(), lr=2e-3, betas=(0.5, 0.99))


def wahre_daten(n):
    return 4.0 + 0.7 * torch.randn(n, 1)


for schritt in range(1, 1001):
    echt, falsch = wahre_daten(64), gen(torch.randn(64, 2))

    # discriminator: fakes are cut off from the generator here on purpose
    d_echt, d_falsch = dis(echt), dis(falsch.detach())
    d_loss = F.softplus(-d_echt).mean() + F.softplus(d_falsch).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()

    # generator: no detach, gradients that land in dis are cleared at its next zero_grad
    g_loss = F.softplus(-dis(falsch)).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()

    if schritt % 250 == 0:
        with torch.no_grad():
            probe = gen(torch.randn(4000, 2))
        print(f"{schritt}: d {d_loss.item():.3f} g {g_loss.item():.3f} mean {probe.mean():.2f} std {probe.std():.2f}")
print(f"FINAL mean={probe.mean():.3f} (target 4.0) std={probe.std():.3f} (target 0.7)")
