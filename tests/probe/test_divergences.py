"""Divergences that are a mean of all numbers, beside a mean of rows."""

import ast

import pytest

from course_probe.reading.divergences import shrunk_divergences, summed_divergences

OF_ROWS = "recon = F.mse_loss(made, x, reduction='sum') / len(x)\n"
OF_CODES = "1 + wide - mean.pow(2) - wide.exp()"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("loss = F.cross_entropy(y, t) + a * F.kl_div(p, q) * T * T", [1]),
        ("kl = nn.KLDivLoss()\nloss = kl(p, q) + nn.CrossEntropyLoss()(y, t)", [2]),
        (
            "loss = ce(y, t)\nce = nn.CrossEntropyLoss()\nloss += kl_div(p, q, reduction='mean')",
            [3],
        ),
        (f"{OF_ROWS}kl = -0.5 * torch.mean({OF_CODES})\nloss = recon + kl", [2]),
        (f"{OF_ROWS}def kl():\n    return -0.5 * ({OF_CODES}).mean()\nloss = recon + kl()", [3]),
        (f"{OF_ROWS}loss = recon - 0.5 * torch.mean({OF_CODES})", [2]),
        # Batches are divided by, or classes multiplied with.
        ("loss = F.cross_entropy(y, t) + F.kl_div(p, q, reduction='batchmean')", []),
        ("loss = F.cross_entropy(y, t) + F.kl_div(p, q) * p.size(1)", []),
        (f"loss = z.sum() / z.numel() - 0.5 * torch.mean({OF_CODES})", []),
        # Alone, beside a mean of all numbers, and weighted on purpose.
        ("loss = F.kl_div(p, q)", []),
        (f"loss = F.mse_loss(made, x) - 0.5 * torch.mean({OF_CODES})", []),
        (f"{OF_ROWS}loss = recon - beta * torch.mean({OF_CODES})", []),
        (f"{OF_ROWS}loss = recon - 0.5 * torch.mean(torch.sum({OF_CODES}, 1))", []),
        (f"{OF_ROWS}loss = recon - 0.5 * ({OF_CODES}).mean(1)", []),
    ],
)
def test_a_divergence_that_is_a_mean_of_all_numbers(text: str, lines: list[int]) -> None:
    assert shrunk_divergences(ast.parse(text)) == lines


BY_ROWS = f"kl = -0.5 * torch.sum({OF_CODES}, dim=1).mean()\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{BY_ROWS}loss = F.binary_cross_entropy(made, x) + kl", [2]),
        (f"{BY_ROWS}bce = F.mse_loss(made, x)\nloss = bce + kl", [3]),
        (f"{BY_ROWS}loss = F.mse_loss(made, x) + beta * kl", []),
        (f"{BY_ROWS}loss = F.mse_loss(made, x, reduction='sum') / len(x) + kl", []),
        (f"loss = F.mse_loss(made, x) - 0.5 * torch.mean({OF_CODES})", []),
    ],
)
def test_a_divergence_of_each_row_beside_a_mean_of_all_numbers(text: str, lines: list[int]) -> None:
    assert summed_divergences(ast.parse(text)) == lines
