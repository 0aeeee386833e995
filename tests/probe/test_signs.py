"""Terms of a loss with the wrong sign, by the text of a script."""

import ast

import pytest

from course_probe.reading.signs import loose_bounds, turned_signs

KL = "kl = {}0.5 * torch.sum(1 + log_var - mu.pow(2) - log_var.exp())\n"
LAYER = "class Loss(nn.Module):\n  def forward(self, x):\n    {}    return rebuilt + kl, kl\n"


@pytest.mark.parametrize(
    ("text", "is_turned"),
    [
        ("loss = (dist.log_prob(a) * advantage).mean()", True),
        ("loss = torch.min(ratio * adv, other).mean()", True),
        ("loss = -(dist.log_prob(a) * advantage).mean()", False),
        ("loss = (-advantage * dist.log_prob(a)).mean()", False),
        ("loss = (-dist.log_prob(a) * returns).sum()", False),
        ("loss = -torch.min(ratio * adv, other).mean()", False),
        ("terms.append(-dist.log_prob(a) * R)\nloss = torch.stack(terms).sum()", False),
        ("terms.append(dist.log_prob(a) * R)\nloss = torch.stack(terms).sum()", True),
        # The entropy of an actor, a likelihood, what is to be avoided, and what is missing of it.
        ("loss = (alpha * dist.log_prob(a) - q).mean()", False),
        ("loss = -dist.log_prob(y).mean()", False),
        ("loss = (dist.log_prob(a) * cost).mean()", False),
        ("adv = value - reward\nloss = (dist.log_prob(a) * adv).mean()", False),
        (f"{KL.format('')}loss = rebuilt + kl", True),
        (f"{KL.format('-')}loss = rebuilt - kl", True),
        (f"{KL.format('-')}loss = rebuilt + kl", False),
        (f"{KL.format('')}loss = rebuilt - beta * kl", False),
        ("kept.append(dist.entropy())\nloss = actor + 0.01 * torch.stack(kept).mean()", True),
        ("loss = actor - 0.01 * dist.entropy().mean()", False),
        ("beta = -0.01\nloss = actor + beta * dist.entropy().mean()", False),
        (f"def elbo():\n    {KL.format('')}    return rebuilt + kl\nloss = elbo()", True),
        (f"{LAYER.format(KL.format(''))}ask = Loss()\nloss, _ = ask(x)", True),
        (f"{LAYER.format(KL.format('-'))}ask = Loss()\nloss, _ = ask(x)", False),
        ("log_probs, rest = play(env)\nloss = (log_probs * rewards).sum()", True),
        ("new = d.log_prob(a)\nr = (old - new).exp()\nloss = torch.max(-adv * r, b)", True),
        ("new = d.log_prob(a)\nr = (new - old).exp()\nloss = torch.max(-adv * r, b)", False),
    ],
)
def test_turned_signs(text: str, is_turned: bool) -> None:
    before = "a = dist.sample()\nlogp = dist.log_prob(a)\nratio = (logp - old).exp()\n"
    assert bool(turned_signs(ast.parse(f"{before}{text}\nloss.backward()"))) is is_turned


@pytest.mark.parametrize(
    ("text", "is_loose"),
    [
        ("loss = torch.min(-adv * ratio, -adv * ratio.clamp(0.8, 1.2)).mean()", True),
        ("loss = -torch.max(adv * ratio, adv * ratio.clamp(0.8, 1.2)).mean()", True),
        ("loss = torch.max(-adv * ratio, -adv * ratio.clamp(0.8, 1.2)).mean()", False),
        ("loss = -torch.min(adv * ratio, adv * ratio.clamp(0.8, 1.2)).mean()", False),
        # The loss of a critic is no advantage.
        ("loss = torch.max((v - returns) ** 2, (v.clamp(0, 1) - returns) ** 2).mean()", False),
        ("s = -adv * ratio\nc = -adv * torch.clamp(ratio, 0.8, 1.2)\nloss = torch.min(s, c)", True),
    ],
)
def test_of_two_forms_the_worse_one_is_taken(text: str, is_loose: bool) -> None:
    tree = ast.parse(f"{text}\nloss.backward()")
    assert bool(loose_bounds(tree)) is is_loose
    assert turned_signs(tree) == []


def test_who_climbs_on_purpose_is_left_alone() -> None:
    text = "loss = (dist.log_prob(a) * adv).mean()\nloss.backward()\n"
    assert turned_signs(ast.parse(f"{text}optimizer = Adam(p, maximize=True)")) == []
