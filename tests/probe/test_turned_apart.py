"""Pictures and what belongs to them, turned alike or not."""

import ast

import pytest

from course_probe.reading.turned_apart import turned_apart

APART = [
    (
        """
def change(picture, outline):
    if chance() < 0.5:
        picture, outline = picture.flip(-1), outline.flip(-1)
    if chance() < 0.5:
        picture, outline = picture.flip(-2), outline.flip(-1)
    return picture, outline
""",
        (6, True),
    ),
    (
        """
class Pictures(Dataset):
    def __getitem__(self, at):
        picture, outline = self.rows[at]
        if chance() < 0.5:
            picture = np.fliplr(picture)
        picture, outline = np.flipud(picture), np.flipud(outline)
        return from_numpy(picture.copy()), from_numpy(outline.copy())
""",
        (6, True),
    ),
    (
        """
def step(self, pictures, outlines):
    pictures = torch.flip(pictures, [2])
    return criterion(self.net(pictures), outlines)
""",
        (3, False),
    ),
]
ALIKE = [
    "def change(a, b):\n    a, b = a.flip(-1), b.flip(-1)\n    return a, b\n",
    # A picture has one axis more than its outline.
    "def change(a, b):\n    a, b = torch.flip(a, [2]), torch.flip(b, [1])\n    return a, b\n",
    "def change(a, b):\n    a = TF.hflip(a)\n    b = np.fliplr(b)\n    return a, b\n",
    "def change(a):\n    a = a.flip(-1)\n    return a\n",
    "def change(a, b):\n    shown = a.flip(-1)\n    return a, b\n",
]


@pytest.mark.parametrize(("text", "told"), APART)
def test_one_of_two_is_turned_otherwise(text: str, told: tuple[int, bool]) -> None:
    (found,) = turned_apart(ast.parse(text))
    assert (found.line, found.both) == told


@pytest.mark.parametrize("text", ALIKE)
def test_both_are_turned_alike(text: str) -> None:
    assert turned_apart(ast.parse(text)) == []
