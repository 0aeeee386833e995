"""The playback page on this machine's own address, where the embedded player plays.

Serves the page and, if there is one, the video's file; to nobody but this machine.
"""

import mimetypes
import os
import re
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

HOST = "127.0.0.1"
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def address(video: Path) -> str:
    """Where the page finds the file of the video on its server."""
    return f"video/{quote(os.fsencode(video.name))}"


class PlaybackServer(ThreadingHTTPServer):
    """Serves one page, and a video beside it, until it is closed.

    A port of 0 is any free one; `url` tells which it has become.
    """

    daemon_threads = True
    # On Windows a port that is in use could be had once more.
    allow_reuse_address = os.name != "nt"

    def __init__(self, page: str, video: Path | None = None, port: int = 0) -> None:
        """Take the port.

        Raises:
            OSError: somebody else has it, or this user may not.

        """
        self.page = page.encode()
        self.video = video
        super().__init__((HOST, port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over a viewer who has left; anything else is ours, and is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which a browser may call it: another one is a trick of another page's."""
        return tuple(f"{name}:{self.server_port}" for name in (HOST, "localhost"))


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: PlaybackServer
    protocol_version = "HTTP/1.1"
    server_version = "course"
    sys_version = ""
    timeout = 60
    error_message_format = "%(code)d %(message)s\n"
    error_content_type = "text/plain; charset=utf-8"
    HEADERS: ClassVar = {
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        # What a page can't say in itself: no other page may hold it in a frame.
        "Content-Security-Policy": "frame-ancestors 'none'",
    }

    def do_GET(self) -> None:
        """Send what is asked for."""
        path = self.path.partition("?")[0]
        video = self.server.video
        if self.headers.get("Host") not in self.server.hosts:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        elif path == "/":
            self._begin(HTTPStatus.OK, "text/html; charset=utf-8", len(self.server.page))
            if self.command != "HEAD":
                self.wfile.write(self.server.page)
        elif video is not None and path == f"/{address(video)}" and os.access(video, os.R_OK):
            self._play(video)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_HEAD(self) -> None:
        """Send only what would be said of it."""
        self.do_GET()

    def end_headers(self) -> None:
        """Add what every answer says."""
        for name, value in self.HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_message: object) -> None:
        """Nothing: nobody reads it."""

    def _play(self, video: Path) -> None:
        """Send the video, or the piece of it that is asked for: players leap in it."""
        with video.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            first, last, status = 0, size - 1, HTTPStatus.OK
            headers = {"Accept-Ranges": "bytes"}
            asked = _RANGE.fullmatch(self.headers.get("Range", "").strip())
            if asked is not None and asked.groups() != ("", ""):
                first, last = _piece(asked[1], asked[2], size)
                status = HTTPStatus.PARTIAL_CONTENT
                headers["Content-Range"] = f"bytes {first}-{last}/{size}"
                if first > last:
                    status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
                    headers["Content-Range"] = f"bytes */{size}"
            length = max(0, last - first + 1)
            kind = mimetypes.guess_type(video.name)[0] or "application/octet-stream"
            self._begin(status, kind, length, **headers)
            if length and self.command != "HEAD":
                sent = self.connection.sendfile(stream, first, length)
                # Where the file has become shorter, what was promised can't be held any more.
                self.close_connection = sent < length

    def _begin(self, status: HTTPStatus, kind: str, length: int, **more: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(length), **more}.items():
            self.send_header(name, value)
        self.end_headers()


def _piece(first: str, last: str, size: int) -> tuple[int, int]:
    """Return the first and the last byte of a range; first > last where there is nothing."""
    if not first:
        return max(0, size - int(last)), size - 1 if int(last) else -1
    return int(first), min(int(last), size - 1) if last else size - 1
