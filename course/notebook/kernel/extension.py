"""The IPython extension: a page under a failing cell's own traceback, and `%course`.

It only listens: what IPython shows of an error stays as it is, and a mistake of ours is one line.
"""

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from course.base import i18n
from course.base.errors import UserError
from course.base.i18n import _
from course.notebook.kernel.listener import CellListener, Cells
from course.notebook.kernel.session import NotebookSession

if TYPE_CHECKING:
    from course.notebook.kernel.messages import Message
    from course_probe.events import RunEvent

KEPT = "_course_extension"
"""The attribute of the shell that holds the extension while it is loaded."""


class Extension:
    """What is registered with one shell (an `InteractiveShell`)."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.session = NotebookSession(shell.user_ns, self._show, _quietly)
        self.session.listener = CellListener(Cells(shell.user_ns), self._hear)
        self._guarded = {
            "pre_run_cell": self._guard(self._begin),
            "post_run_cell": self._guard(self._end),
        }

    def register(self, lang: str | None = None) -> None:
        """Register the callbacks and `%course` with the shell."""
        i18n.activate(_language(lang))
        for event, callback in self._guarded.items():
            self.shell.events.register(event, callback)
        self.shell.register_magic_function(self._magic, "line", "course")
        # The cell that loads us had begun before we could hear of it.
        raw = self.shell.history_manager.input_hist_raw
        self.session.begin("", raw[-1] if raw else "")

    def unregister(self) -> None:
        """Take the callbacks and `%course` off the shell again."""
        for event, callback in self._guarded.items():
            self.shell.events.unregister(event, callback)
        self.shell.magics_manager.magics["line"].pop("course", None)
        self.session.listener = None

    def _begin(self, info: Any) -> None:
        text = info.raw_cell or ""
        # Not every frontend says which cell it is: then the text is all that tells it.
        name = getattr(info, "cell_id", None) or hashlib.sha256(text.encode()).hexdigest()
        self.session.begin(name, text)

    def _end(self, result: Any) -> None:
        self.session.end(result.error_in_exec or result.error_before_exec)

    def _hear(self, event: "RunEvent") -> None:
        try:
            if self.session.listener is not None:
                self.session.hear(event)
        except Exception as error:  # noqa: BLE001 - logged, and shown in the notebook
            # In the middle of the learner's training: that must go on.
            self._ours(error)

    def _magic(self, line: str) -> None:
        """`%course`: setup, check, hint, fix, loss."""
        from course.notebook.kernel import magics
        from course.notebook.kernel.messages import Message
        from course.render.blocks import Paragraph

        try:
            magics.run(line, self.session, self.shell.set_next_input)
        except UserError as error:
            self._show(Message([Paragraph(str(error), "bad")]))

    def _show(self, message: "Message") -> None:
        self.shell.display_pub.publish(message.bundle)

    def _guard(self, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        def guarded(argument: Any) -> None:
            try:
                callback(argument)
            except Exception as error:  # noqa: BLE001 - logged, and shown in the notebook
                self._ours(error)

        return guarded

    def _ours(self, error: Exception) -> None:
        from course.base import log
        from course.notebook.kernel.messages import Message
        from course.render.blocks import Paragraph

        log.logger("kernel").error("in a notebook", exc_info=error)
        sentence = _("`course` failed here ({error}). Your notebook goes on without it.")
        sentence = sentence.format(error=f"`{type(error).__name__}: {error}`")
        self._show(Message([Paragraph(sentence, "quiet")]))


def load(shell: Any, lang: str | None = None) -> None:
    """Register with a shell; once, however often it is asked for. `lang` is a language."""
    if getattr(shell, KEPT, None) is None:
        extension = Extension(shell)
        extension.register(lang)
        setattr(shell, KEPT, extension)


def unload(shell: Any) -> None:
    """Take back what `load` has done."""
    extension = getattr(shell, KEPT, None)
    if extension is not None:
        extension.unregister()
        setattr(shell, KEPT, None)


def _language(lang: str | None) -> str:
    """Return the environment's language; a notebook of the course sets it by `%course setup`."""
    try:
        return i18n.negotiate(lang)
    except UserError:
        return i18n.SOURCE


def _quietly() -> AbstractContextManager[Any]:
    from IPython.utils.capture import capture_output

    quiet: AbstractContextManager[Any] = capture_output()
    return quiet
