"""What a training step takes of the memory, as tables."""

from collections.abc import Iterator

from course.base.i18n import _, numbers
from course.render.blocks import Gap, Paragraph, StoryBlock, Table, TableRow
from course.runs.memory import MemoryCase, MemoryEstimate


def amount(count: int) -> str:
    """Write bytes in MB, or in GB where they are many; a GB is a thousand MB."""
    if count >= 10**9:
        return numbers.amount(count / 10**9, "digital-gigabyte", 1)
    return numbers.amount(count / 10**6, "digital-megabyte", 0 if count >= 10**7 else 1)


def page(found: MemoryEstimate) -> Iterator[StoryBlock]:
    """Yield the parts of the memory, the changes to them, and other models beside."""
    title = _("A training step of {model}: batches of {batch}, {length} tokens long")
    name = f"`{found.checkpoint.name}`"
    yield Paragraph(title.format(model=name, batch=found.batch, length=found.length), "title")
    yield Gap()
    yield _by_part(found)
    yield Gap()
    yield from _explained(found)
    yield from _on_gpu(found)
    yield Gap()
    yield Paragraph(_("What needs less or more memory (the real model)"), "heading")
    yield _by_case(found)
    yield Gap()
    yield Paragraph(_("Other models, with the same batch"), "heading")
    yield _by_model(found)
    yield Gap()
    yield from _counted()


def _by_part(found: MemoryEstimate) -> Table:
    here, real = found.embedded, found.real
    rows = (
        (_("weights"), here.weights, real.weights),
        (_("gradients"), here.gradients, real.gradients),
        (_("Adam's state"), here.optimizer, real.optimizer),
        (_("intermediate results"), here.activations, real.activations),
        (_("all together"), here.total, real.total),
    )
    embedded = _("embedded model, measured") if found.measured else _("embedded model, computed")
    return Table(
        (_("part"), embedded, _("real model, computed")),
        tuple(TableRow((part, amount(tiny), amount(large))) for part, tiny, large in rows),
    )


def _explained(found: MemoryEstimate) -> Iterator[Paragraph]:
    sentence = _(
        "The embedded model has {embedded} parameters, and the real one has {real}. Each "
        "parameter takes 4 bytes, its gradient takes 4 more, and Adam's state takes 8 more."
    )
    embedded, real = (numbers.whole(n.parameters) for n in (found.embedded, found.real))
    yield Paragraph(sentence.format(embedded=embedded, real=real))
    sentence = _("Intermediate results are what the forward pass keeps for `backward()`.")
    yield Paragraph(sentence)


def _on_gpu(found: MemoryEstimate) -> Iterator[Paragraph]:
    """Yield the memory of a real step of the real model, where this machine has a GPU."""
    if found.gpu is None:
        return
    size, peak = found.gpu["size"], found.gpu["peak"]
    if peak is None:
        sentence = _(
            "This machine's GPU has {size} of memory. A step of the real model did not fit into it."
        )
        yield Paragraph(sentence.format(size=amount(size)), "bad")
    else:
        sentence = _(
            "This machine's GPU has {size} of memory. A step of the real model used {peak} of it."
        )
        yield Paragraph(sentence.format(size=amount(size), peak=amount(peak)), "good")


def _by_case(found: MemoryEstimate) -> Table:
    rows = []
    for case in found.cases:
        rows.append(_row(_called(case), case.activations, found))
        if case.what == "half-batch" and found.batch > 1:
            text = _("two batches of {n}, accumulated for one step")
            rows.append(_row(text.format(n=case.batch), case.activations, found))
    return Table((_("change"), _("intermediate results"), _("all together")), tuple(rows))


def _row(text: str, activations: int, found: MemoryEstimate) -> TableRow:
    return TableRow((text, amount(activations), amount(found.real.fixed + activations)))


def _called(case: MemoryCase) -> str:
    """Return a case in words."""
    match case.what:
        case "half-batch" | "twice-batch":
            return _("a batch of {n}").format(n=case.batch)
        case "half-length" | "twice-length":
            return _("{n} tokens long").format(n=case.length)
        case "checkpointing":
            return "`gradient_checkpointing=True`"
        case "bf16":
            return "`bf16=True`"
        case _:
            return _("unchanged")


def _by_model(found: MemoryEstimate) -> Table:
    rows = (
        TableRow((f"`{name}`", amount(each.weights), amount(each.fixed), amount(each.total)))
        for name, each in found.others.items()
    )
    headings = _("model"), _("weights"), _("without intermediate results"), _("all together")
    return Table(headings, tuple(rows))


def _counted() -> Iterator[Paragraph]:
    sentence = _(
        "With `gradient_checkpointing=True`, layers are computed once more in the backward pass, "
        "one at a time. This is slower, but needs less memory. With `bf16=True` the weights stay "
        "as they are, and a second copy of them is added, with 2 bytes for each number. So it "
        "saves memory only with large batches."
    )
    yield Paragraph(sentence, "quiet")
    sentence = _(
        "The totals count all parts at the same time. In reality, intermediate results are freed "
        "while the gradients are computed. A GPU needs a few hundred MB more for itself. If it "
        "computes attention in a single operation, it keeps fewer intermediate results for long "
        "texts."
    )
    yield Paragraph(sentence, "quiet")
