"""A companion to the Hugging Face NLP course: scripts with faults in them, to run and to mend."""

__version__ = "0.1.0"


def listen(lang: str | None = None) -> None:
    """Have this process say at its end what fault bites: a script's first line.

    It works wherever the script is started, by `accelerate launch` or `torchrun` too. What the
    script computes, prints and ends with stays as it is. `lang` is `en`, `zh` or `ru`.
    """
    from course.own import listening

    listening.listen(lang)


def load_ipython_extension(shell: object) -> None:
    """Have `%load_ext course` name faults in a notebook.

    See https://ipython.readthedocs.io/en/stable/config/extensions/.
    """
    from course.ipython import extension

    extension.load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Take back what `load_ipython_extension` has done."""
    from course.ipython import extension

    extension.unload(shell)
