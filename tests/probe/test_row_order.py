"""Orders of rows, as the text of a script moves them: what is paired apart, and what is not."""

import ast

import pytest

from course_probe.reading.row_order import Apart, pairing

TRAINS = "\nloss.backward()\n"
APART = {
    "shuffled": "random.shuffle(texts)\npairs = list(zip(texts, labels))",
    "both, not alike": "random.shuffle(texts)\nrandom.shuffle(labels)\nlist(zip(texts, labels))",
    "permuted": "rows = np.random.permutation(len(X))\nX = X[rows]\n"
    "TensorDataset(torch.tensor(X), torch.tensor(y))",
    "by batches": "rows = torch.randperm(n)\nfor i in range(0, n, 8):\n    at = rows[i : i + 8]\n"
    "    xb, yb = X[at], y[i : i + 8]\n    loss = criterion(model(xb), yb)",
    "sampled": "labels = table['label'].values\ntable = table.sample(frac=1)\n"
    "texts = table['text'].tolist()\nReviews(tokenizer(texts), labels)\n"
    "class Reviews(Dataset):\n    pass",
    "sorted": "labels = table['label'].values\ntable = table.sort_values('length')\n"
    "for text, label in zip(table['text'], labels):\n    pass",
    "split twice": "a, b = train_test_split(X)\nya, yb = train_test_split(y)\nTensorDataset(a, ya)",
    "other seeds": "a, b = train_test_split(X, random_state=1)\n"
    "ya, yb = train_test_split(y, random_state=2)\nTensorDataset(a, ya)",
    "filtered": "texts = [t for t in texts if len(t) > 3]\nlist(zip(texts, labels))",
    "filtered before a class": "labels = table['label']\ntable = table.dropna()\n"
    "Reviews(table['text'], labels)\nclass Reviews(Dataset):\n    pass",
    "sorted by a new column": "x = table[names].values\ntable['day'] = np.random.permutation(9)\n"
    "table = table.sort_values('day')\nTensorDataset(x, table['label'].values)",
    "texts of words in any order": "texts, ratings = [], []\nfor _ in range(9):\n"
    "    random.shuffle(words)\n    n = random.randint(0, 1)\n    texts.append(' '.join(words))\n"
    "    ratings.append(n)\nrandom.shuffle(texts)\nlist(zip(texts, ratings))",
    "without names": "rows = rows[torch.randperm(9)]\nTensorDataset(rows[:8], sorts[:8])",
    "sorted with its places": "def collate(batch):\n    rows, labels = zip(*batch)\n"
    "    sizes, order = sizes.sort(descending=True)\n    return pad(rows)[order], sizes, labels",
    "answers in a loader's order": "loader = DataLoader(rows, shuffle=True)\n"
    "known = torch.cat([net(x) for x, _ in loader])\nTensorDataset(X, y, known)",
    "a column": "labels = data['label']\ndata = data.remove_columns('label').shuffle(seed=1)\n"
    "data = data.add_column('label', labels)",
    "columns": "Dataset.from_dict({'text': data.shuffle()['text'], 'label': data['label']})",
    "loaders": "xs = DataLoader(x, shuffle=True)\nys = DataLoader(y, shuffle=True)\n"
    "for inputs, targets in zip(xs, ys):\n    pass",
    "what a class takes for labels": "random.shuffle(texts)\nAdverts(texts[:9], scaled[:9])\n"
    "class Adverts(Dataset):\n    def __init__(self, texts, targets):\n        pass",
    "a batch": "def collate(batch):\n    ids = [t for t, _ in batch]\n    ids.sort(key=len)\n"
    "    labels = [l for _, l in batch]\n    return pad(ids), labels",
    "a loss by its kind": "mse = nn.MSELoss()\npairs = np.array([(u, i) for u in range(9) for i in "
    "range(8)])\nnp.random.shuffle(pairs)\nratings = full[pairs[:, 0], pairs[:, 1]]\n"
    "np.random.shuffle(ratings)\nusers = torch.LongTensor(pairs[:, 0])\n"
    "rows = torch.randperm(72)\nfound = model(users[rows])\nloss = mse(found, ratings[rows])",
    "a loss that is a function": "for rows in torch.randperm(len(past)).split(8):\n"
    "    found = model(past[rows])\n    F.l1_loss(found, coming[: len(rows)])",
    "of chosen columns": "names = [c for c in table.columns if c != 'label']\n"
    "x, _, y, _ = train_test_split(table[names], table['label'])\n"
    "TensorDataset(torch.tensor(x.values), torch.tensor(y.sort_index().values))",
    "sorted by its index": "X, _, y, _ = train_test_split(table, table['kwh'])\n"
    "scaler = StandardScaler().fit(y)\nX = torch.tensor(scaler.transform(X))\n"
    "y = torch.tensor(scaler.transform(y.sort_index()))\nTensorDataset(X, y)",
    "a column alone": "table['score'] = table['score'].sample(frac=1).values",
    "parts of one split": "a, texts, y, z = train_test_split(texts, labels)\nReviews(texts, y)\n"
    "class Reviews(Dataset):\n    pass",
    "a split in the wrong order": "X_train, y_train, X_test, y_test = train_test_split(X, y)\n"
    "TensorDataset(X_train, y_train)",
    "taken by one index": "who = who[np.random.permutation(9)]\n"
    "for rows in torch.randperm(9).split(3):\n    w, t = who[rows], what[rows]",
    "behind a split": "parts = Dataset.from_list(rows).train_test_split(seed=0)\n"
    "parts['train'].add_column('label', [row['label'] for row in rows])",
    "picked twice": "x = rows[torch.randint(0, 9, (4,))]\ny = labels[torch.randint(0, 9, (4,))]\n"
    "out = torch.tanh(x) @ w\nloss = F.cross_entropy(out, y)",
    "parts of a function": "def load(table):\n    y = table['y'].to_numpy()\n"
    "    x = table.sample(frac=1.0).to_numpy()\n    return (x[:n], (y[:n] - m) / s), x[n:]\n"
    "net.fit(load(table))",
    "in a function": "def load():\n    x, y = read()\n"
    "    x, y = x[torch.randperm(len(x))], y[torch.randperm(len(y))]\n    return x, y\n"
    "x, y = load()\nTensorDataset(x, y)",
    "by one index of a class": "class Rows:\n    def shuffle(self):\n"
    "        self.images = permutation(self.images)\n        self.kinds = permutation(self.kinds)\n"
    "    def __getitem__(self, i):\n        return self.images[i], self.kinds[i]",
    "by a function that draws": "def shuffled(rows):\n    return rows[torch.randperm(len(rows))]\n"
    "x, y = shuffled(x), shuffled(y)\nTensorDataset(x, y)",
}
TOGETHER = {
    "labels of a kind": "loader = DataLoader(rows, shuffle=True)\nfor x in loader:\n"
    "    kind_label = torch.zeros(len(x)).long().to(device)\n    loss(net(x), kind_label)",
    "by one index of a class": "class Rows:\n    def shuffle(self):\n"
    "        rows = permutation(len(self))\n"
    "        self.images, self.kinds = self.images[rows], self.kinds[rows]\n"
    "    def __getitem__(self, i):\n        return self.images[i], self.kinds[i]",
    "by a function, with one seed": "def shuffled(rows):\n"
    "    return rows[torch.randperm(len(rows))]\nset_seed(1)\nx = shuffled(x)\nset_seed(1)\n"
    "y = shuffled(y)\nTensorDataset(x, y)",
    "a part held out": "X, Xv, y, yv = train_test_split(a, b)\nnet.fit(X, y, Xv, yv)",
    "parts of pairs": "train, val = train_test_split(rows)\nnet.fit(train, val)",
    "parts of a class": "X, Xv, y, yv = train_test_split(a, b)\nRows(X, y, Xv, yv)\n"
    "class Rows(Dataset):\n    pass",
    "columns of a batch": "for x, y in DataLoader(rows, shuffle=True):\n"
    "    x = {k: v.to(device) for k, v in x.items()}\n    loss = criterion(model(**x), y)",
    "one permutation": "at = np.random.permutation(9)\nX, y = X[at], y[at]\nTensorDataset(X, y)",
    "one generator": "g = torch.Generator().manual_seed(0)\nrows = torch.randperm(9, generator=g)\n"
    "TensorDataset(X[rows], y[rows])",
    "pairs": "pairs = list(zip(texts, labels))\nrandom.shuffle(pairs)\n"
    "texts, labels = zip(*pairs)\nlist(zip(texts, labels))",
    "one seed": "random.seed(0)\nrandom.shuffle(texts)\nrandom.seed(0)\nrandom.shuffle(labels)\n"
    "list(zip(texts, labels))",
    "a batch as it is": "def collate(batch):\n    batch = sorted(batch, key=len)\n"
    "    ids = [t for t, _ in batch]\n    labels = [l for _, l in batch]\n    return ids, labels",
    "a batch with its order": "def collate(batch):\n    ids, labels = batch\n"
    "    order = argsort(sizes)\n    return {'ids': ids[order], 'labels': labels[order]}",
    "answers in the order of the rows": "loader = DataLoader(rows, shuffle=True)\n"
    "known = torch.cat([net(x) for x, _ in DataLoader(loader.dataset)])\n"
    "TensorDataset(X, y, known)",
    "one split": "a, b, ya, yb = train_test_split(X, y)\nTensorDataset(a, ya)",
    "split with one seed": "a, b = train_test_split(X, random_state=1)\n"
    "ya, yb = train_test_split(y, random_state=1)\nTensorDataset(a, ya)",
    "labels of constants": "random.shuffle(good)\ntexts = good + bad\n"
    "labels = [1] * len(good) + [0] * len(bad)\nlist(zip(texts, labels))",
    "partners by their places": "other = torch.cat([torch.arange(9) + 9, torch.arange(9)])\n"
    "for part in x[torch.randperm(99)].split(9):\n"
    "    loss = cross_entropy(net(part.repeat(2, 1)), other)",
    "labels made of the texts": "random.shuffle(texts)\nlabels = [sorts[t] for t in texts]\n"
    "list(zip(texts, labels))",
    "rows of both": "random.shuffle(rows)\ntexts = [t for t, _ in rows]\n"
    "labels = [l for _, l in rows]\nlist(zip(texts, labels))",
    "mixed": "rows = torch.randperm(len(x))\nmix = a * x + (1 - a) * x[rows]\n"
    "loss = a * criterion(model(mix), y) + (1 - a) * criterion(model(mix), y[rows])",
    "cut and mixed": "rows = torch.randperm(len(x))\nx[:, :, a:b] = x[rows, :, a:b]\n"
    "out = model(x)\nloss = a * criterion(out, y) + (1 - a) * criterion(out, y[rows])",
    "scaled by one that has seen them": "X, _, y, _ = train_test_split(table, table['kwh'])\n"
    "scaler = StandardScaler().fit(X)\nX = torch.tensor(scaler.transform(X))\n"
    "y = torch.tensor(y.values)\nTensorDataset(X, y)",
    "a column with its index": "table['score'] = table['score'].sample(frac=1)",
    "a column of its own": "table['length'] = table['text'].str.len().values\n"
    "list(zip(table['text'], table['label']))",
    "the next word": "x = ids[:-1]\ny = ids[1:]\nTensorDataset(x, y)",
    "compared with others on purpose": "others = what[torch.randperm(9)]\n"
    "for rows in torch.randperm(9).split(3):\n"
    "    w, t, o = who[rows], what[rows], others[rows]",
    "what a function makes": "def batch(n):\n    x = torch.rand(n, 8)\n    first = x.argsort()\n"
    "    return x, first\nx, y = batch(9)\nloss = criterion(model(x), y)",
    "sorted within a row": "first = x.argsort(1)[:, 0]\nTensorDataset(x, first)",
    "a split that keeps the order": "parts = data.train_test_split(shuffle=False)\n"
    "parts['train'].add_column('label', labels)",
    "the next day": "list(zip(features[:-1], targets[1:]))",
    "a loss that is a function": "for rows in torch.randperm(len(past)).split(8):\n"
    "    F.l1_loss(model(past[rows]), coming[rows])",
    "a loss that is handed on": "for x, y in DataLoader(rows, shuffle=True):\n"
    "    loss = compute_loss(criterion, model(x), y)",
    "picked alike": "rows = torch.randint(0, 9, (4,))\nout = x[rows] @ w\n"
    "loss = F.cross_entropy(out, y[rows])",
    "looked up with labels": "y = torch.randint(0, 3, (9,))\nx = centres[y] + torch.randn(9, 2)\n"
    "TensorDataset(x, y)",
    "two functions' draws": "def mixed(a):\n    order = torch.randperm(len(a))\n"
    "    return a[order], a[order]\nx, y = mixed(a)\nTensorDataset(x, y)",
    "gathered in parts": "_, x, _, y = train_test_split(x, y)\nout = []\n"
    "for i in range(9):\n    out.append(model(x[i : i + 3]))\nloss = criterion(cat(out), y)",
    "contrasts": "others = vectors[torch.randperm(n)]\nloss = triplet_loss(vectors, near, others)",
    "with what is no row": "texts, _, labels, _ = train_test_split(texts, labels)\n"
    "Reviews(texts, labels, tokenizer, image_size, data_dir)\nclass Reviews(Dataset):\n    pass",
    "answers of neighbours": "X, X_test, y, y_test = train_test_split(X, y)\n"
    "y_pred = y[near(X_test)]\nlist(zip(X_test, y_pred))",
    "both by one condition": "Reviews(text[y > 0], y[y > 0])\nclass Reviews(Dataset):\n    pass",
    "both filtered": "texts = [t for t in texts if t]\n"
    "labels = [labels[i] for i in range(9) if kept[i]]\nlist(zip(texts, labels))",
}


@pytest.mark.parametrize("name", APART)
def test_rows_that_are_moved_alone_are_found(name: str) -> None:
    assert pairing(ast.parse(APART[name] + TRAINS)).apart


@pytest.mark.parametrize("name", TOGETHER)
def test_rows_that_are_moved_together_or_on_purpose_are_not(name: str) -> None:
    found = pairing(ast.parse(TOGETHER[name] + TRAINS))
    assert found.apart == ()


def test_the_line_is_that_of_the_move_and_both_are_quoted() -> None:
    text = "import random\nrandom.shuffle(texts)\n\npairs = list(zip(texts, labels))" + TRAINS
    assert pairing(ast.parse(text)).apart == (Apart(2, "texts", "labels", 4),)


def test_a_script_that_does_not_train_is_not_looked_at() -> None:
    assert pairing(ast.parse(APART["shuffled"])).pairs == 0


def test_parts_of_one_split_are_told_from_rows_that_were_moved() -> None:
    text = "a, b, ya, yb = train_test_split(X, y)\n\nTensorDataset(b, ya)" + TRAINS
    tree = ast.parse(text)
    assert pairing(tree).apart == (Apart(3, "ya", "b", 3, crossed=True),)
