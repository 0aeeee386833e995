"""Statements typed as in IPython, by the library that it reads them with."""

import os
import re
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

NAME = re.compile(r"[\w.]+$")
"""What of a line is completed: a name, or an attribute of one."""


def reader(
    history: Path, complete: Callable[[str], tuple[str, ...]]
) -> Callable[[str], str] | None:
    """Make a function that reads a line at a prompt; None where IPython is not installed.

    It raises EOFError and KeyboardInterrupt as `input` does. `complete` says how a name goes on.
    """
    if find_spec("IPython") is None or find_spec("prompt_toolkit") is None:
        return None
    # A terminal that does not tell where its cursor is would be complained of.
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import FileHistory, InMemoryHistory
    from prompt_toolkit.lexers import PygmentsLexer
    from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]

    class NameCompleter(Completer):
        """Completes names that another process knows."""

        def get_completions(
            self, document: Document, complete_event: CompleteEvent
        ) -> Iterator[Completion]:
            """Yield how the name before the cursor goes on."""
            found = NAME.search(document.text_before_cursor)
            if found is not None:
                for candidate in complete(found.group()):
                    shown = candidate.rpartition(".")[2]
                    yield Completion(candidate, -len(found.group()), display=shown)

    is_writable = os.access(history if history.exists() else history.parent, os.W_OK)
    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)) if is_writable else InMemoryHistory(),
        lexer=None if os.environ.get("NO_COLOR") else PygmentsLexer(PythonLexer),
        completer=NameCompleter(),
        complete_while_typing=False,
    )
    return session.prompt
