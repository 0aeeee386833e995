"""What generator and critic want of the critic's answers, by the text of a script."""

import ast

import pytest

from course_probe.reading.critics import agreeing_losses, helping_critic, worst_acts

FILLED = """
label = torch.full((9,), real_label)
seen = D(real)
bce(seen, label).backward()
label.fill_({first}_label)
seen = D(fake.detach())
bce(seen, label).backward()
label.data.fill_({second}_label)
seen = D(fake)
bce(seen, label).backward()
"""
CRITIC = "d = bce(D(real), ones) + bce(D(fake.detach()), zeros)\n"


@pytest.mark.parametrize(
    ("text", "is_helping"),
    [
        (f"{CRITIC}g = bce(D(fake), zeros)", True),
        (f"{CRITIC}g = bce(D(fake), torch.zeros_like(x))", True),
        (f"{CRITIC}g = bce(D(fake), ones)", False),
        (f"{CRITIC}g = -bce(D(fake), zeros)", False),
        ("d = bce(D(fake.detach()), ones)\ng = bce(D(fake), zeros)", False),
        (f"{CRITIC}aim = torch.zeros_like(real)\ng = bce(D(fake), aim)", True),
        (FILLED.format(first="fake", second="fake"), True),
        (FILLED.format(first="fake", second="real"), False),
        (FILLED.format(first="real", second="real"), True),
    ],
)
def test_a_generator_that_helps_its_critic(text: str, is_helping: bool) -> None:
    assert bool(helping_critic(ast.parse(text))) is is_helping


WANTS = "d = D(fake.detach()).mean() - D(real).mean()\nd.backward()\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{WANTS}g = D(fake).mean()\ng.backward()", [3]),
        (f"{WANTS}g = -D(fake).mean()\ng.backward()", []),
        (f"{WANTS}x = G(z)\n(-D(x).mean()).backward()", []),
        (f"{WANTS}x = G(z)\nD(x).mean().backward()", [4]),
        (
            "(F.relu(1 - D(real)) + F.relu(1 + D(fake))).mean().backward()\n(-D(fake)).backward()",
            [],
        ),
        (
            "d = F.relu(1 - D(real)).mean() + F.relu(1 + D(fake)).mean() + w * gap(D)\n"
            "d.backward()\ng = D(fake).mean()\ng.backward()",
            [3],
        ),
        # Of one critic nothing is known, or another one is asked.
        ("d = loss(D(fake), D(real))\nd.backward()\ng = D(fake).mean()\ng.backward()", []),
        (f"{WANTS}g = E(fake).mean()\ng.backward()", []),
    ],
)
def test_a_generator_that_wants_what_its_critic_wants(text: str, lines: list[int]) -> None:
    assert agreeing_losses(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("loss = critic(s, actor(s)).mean()", [1]),
        ("act = self.actor(s)\nloss = self.critic.q1(s, act).mean()", [2]),
        ("loss = -critic(s, actor(s)).mean()", []),
        ("act, logp = policy(s)\nloss = (alpha * logp - critic(s, act)).mean()", []),
        ("loss = critic(s, a).mean()", []),
        ("loss = cost(s, actor(s)).mean()", []),
        ("loss = F.mse_loss(critic(s, actor(s)), y)", []),
        ("loss = criterion(x, actor(x))", []),
    ],
)
def test_an_actor_that_acts_worst(text: str, lines: list[int]) -> None:
    known = "critic.eval(), self.critic.eval(), actor.eval(), rewards"
    assert worst_acts(ast.parse(f"{text}\nloss.backward()\n{known}")) == lines
