"""A real JupyterLab with a folder of notebooks, and a page in a browser that runs one of them."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.command import CLEAN

NOTE = 'div[role="note"]'
WAIT = 120_000
"""Milliseconds that the first message may take: a cold kernel imports the framework first."""
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false"},
    # Cells out of sight are there all the same, to be looked at.
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@contextmanager
def served(folder: Path, hidden: Path) -> Iterator[str]:
    """Start a JupyterLab whose folder is `folder`; what it keeps lies in `hidden`. Its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    named = {f"JUPYTER_{kind}_DIR": str(hidden / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    named["JUPYTERLAB_SETTINGS_DIR"] = str(hidden / "settings")
    for plugin, chosen in SETTINGS.items():
        path = hidden / "settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(chosen))
    address = f"http://127.0.0.1:{port}"
    options = (
        *("--no-browser", f"--port={port}", "--ServerApp.port_retries=0", "--allow-root"),
        *("--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"),
        *(
            "--LabApp.expose_app_in_browser=True",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ),
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        env={**CLEAN, **named, "IPYTHONDIR": str(hidden / "ipython")},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=(hidden / "log").open("wb"),
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            with suppress(OSError), urllib.request.urlopen(f"{address}/api") as answer:
                if answer.status == 200:
                    break
            time.sleep(0.2)
        assert process.poll() is None, (hidden / "log").read_text()
        yield address
    finally:
        process.terminate()
        process.wait(30)


def run_all(context: Any, address: str, name: str, until: str) -> Any:
    """Open a notebook in a browser's context and run every cell; the page once it says `until`."""
    page = context.new_page()
    page.goto(f"{address}/lab/tree/{name}")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=WAIT)
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
        "?.status === 'idle'",
        timeout=WAIT,
    )
    page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector(f"{NOTE}:has-text('{until}')", timeout=WAIT)
    return page
