"""Whether a text moves to a device what its network is given, however that is written."""

import ast
from textwrap import dedent

import pytest

from course_probe.reading.moved_inputs import moves_inputs

BEFORE = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
rows = tokenizer(texts, return_tensors="pt")
loader = DataLoader(data, batch_size=8, shuffle=True)
"""
MOVED = {
    "each column": """
        for batch in loader:
            batch = {name: each.to(device) for name, each in batch.items()}
            loss = net(**batch).loss
    """,
    "where it is given": """
        for x, y in tqdm(loader):
            loss = criterion(net(x.cuda()), y.cuda())
    """,
    "in another order, without a wait": """
        for at, (x, y) in enumerate(loader):
            x, y = (each.to(device, non_blocking=True) for each in (x, y))
            if at % 2: loss = F.cross_entropy(net(x, y).logits, y)
    """,
    "in place, by a mapping": """
        for batch in loader:
            batch.to(device)
            loss = net(**batch).loss
    """,
    "under one that is the reader's": """
        for x in loader:
            if True:
                if args.gpu:
                    x = x.to(device)
            loss = net(x).loss
    """,
    "key by key": """
        for batch in loader:
            for name in batch:
                batch[name] = batch[name].to(device)
            loss = net(**batch).loss
    """,
    "column by column": """
        for batch in loader:
            batch["ids"] = batch["ids"].to(device)
            batch["mask"] = batch["mask"].to(device)
            loss = net(**batch).loss
    """,
    "by a function": """
        def there(given):
            return given.to(device)
        for x, y in loader:
            out = net(there(x))
    """,
    "where batches are made": """
        def collate(rows):
            return {"ids": pad_sequence([torch.tensor(row, device=device) for row in rows])}
        for batch in DataLoader(data, collate_fn=collate):
            out = net(**batch)
    """,
    "by a class of data": """
        class Rows(Dataset):
            def __getitem__(self, at):
                return self.x[at].to(device), self.y[at].to(device)
        for x, y in DataLoader(Rows()):
            out = net(x)
    """,
    "in a method": """
        class Training:
            def step(self, batch):
                batch = batch.to(self.device)
                self.loss = self.net(**batch).loss
    """,
    "before its function": """
        def step(net, x):
            out = net(x)
        for x, y in loader:
            step(net, x.to(device))
    """,
    "by accelerate": """
        net, loader = accelerator.prepare(net, loader)
        for batch in loader:
            out = net(**batch)
    """,
    "only where there is one": """
        for x, y in loader:
            if torch.cuda.is_available():
                x = x.cuda()
            out = net(x)
    """,
    "all that is made": """
        torch.set_default_device(device)
        for x, y in loader:
            out = net(x)
    """,
}
LEFT = {
    "nothing is moved": """
        for batch in loader:
            out = net(**batch)
    """,
    "a tensor is no mapping": """
        for x, y in loader:
            x.to(device)
            out = net(x)
    """,
    "under a condition that never holds": """
        for x in loader:
            if 1 > 2:
                x = x.to(device)
            out = net(x)
    """,
    "another kind of numbers": """
        for x, y in loader:
            out = net(x.to(torch.float16))
    """,
    "moved behind the pass": """
        for x, y in loader:
            out = net(x)
            x = x.to(device)
    """,
    "the labels alone": """
        for batch in loader:
            batch["labels"] = batch["labels"].to(device)
            out = net(**batch)
    """,
    "one of two": """
        for x, y in loader:
            x = x.to(device)
            out = net(x, y)
    """,
    "a function that moves nothing": """
        def there(given):
            return given.float()
        for x, y in loader:
            out = net(there(x.to(device)), there(y))
    """,
    "another place calls it": """
        def step(net, x):
            out = net(x)
        step(net, rows.to(device))
        for x, y in loader:
            step(net, x)
    """,
    "an object that is given itself": """
        class Step:
            def run(self):
                out = net(self)
        Step().run()
    """,
    "a network within one that was moved": """
        for batch in loader:
            metric.add_batch(predictions=net.model(**batch).logits, references=net.to(device))
    """,
}


def is_moved(loop: str) -> bool:
    text = BEFORE + dedent(loop)
    lines = [at for at, line in enumerate(text.splitlines(), 1) if "out = " in line]
    lines += [at for at, line in enumerate(text.splitlines(), 1) if "loss = " in line]
    lines += [at for at, line in enumerate(text.splitlines(), 1) if "add_batch" in line]
    assert lines
    return moves_inputs(ast.parse(text), lines)


@pytest.mark.parametrize("way", MOVED)
def test_inputs_that_are_moved(way: str) -> None:
    assert is_moved(MOVED[way])


@pytest.mark.parametrize("way", LEFT)
def test_inputs_that_are_not(way: str) -> None:
    assert not is_moved(LEFT[way])


def test_every_line_counts() -> None:
    text = BEFORE + dedent(MOVED["each column"]) + dedent(LEFT["nothing is moved"])
    first, last = (
        text.splitlines().index(each) + 1
        for each in (
            "    loss = net(**batch).loss",
            "    out = net(**batch)",
        )
    )
    assert [moves_inputs(ast.parse(text), each) for each in ([first], [last], [first, last])] == [
        True,
        False,
        False,
    ]
