"""Each submission of the corpus can be made of the exercise as it is today."""

from dataclasses import replace

import pytest

from course.base.errors import ContentError
from course.lesson.bug import Edit
from tests.attacks.catalogue import attacks, honest

PATCHED = [*(a for a in attacks() if not a.built), *honest()]


def test_every_patch_applies() -> None:
    failures = []
    for entry in PATCHED:
        try:
            entry.text()
        except ContentError as error:
            failures.append(str(error))
    assert not failures, "\n".join(failures)


def test_a_patch_that_does_not_apply_is_named() -> None:
    entry = next(e for e in PATCHED if e.id == "old-keyword")
    outgrown = replace(entry, edits=(Edit("compute_metrics=scores,", "tokenizer=tokenizer,"),))
    with pytest.raises(ContentError, match=r"`old-keyword`: .*occurs 0 times"):
        outgrown.text()
