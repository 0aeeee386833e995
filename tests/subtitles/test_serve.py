"""The server of the playback page, asked by a plain client."""

import socket
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from course.subtitles.playback import serve
from course.subtitles.playback.serve import PlaybackServer
from tests.subtitles.serving import serving

VIDEO = bytes(range(256)) * 5000


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "ролик 1.webm"
    path.write_bytes(VIDEO)
    return path


@pytest.fixture
def server(video: Path) -> Iterator[PlaybackServer]:
    with serving(PlaybackServer("<!doctype html>стр", video)) as server:
        yield server


def ask(
    server: PlaybackServer, path: str, method: str = "GET", **headers: str
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(serve.HOST, server.server_port, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=named)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_only_this_machine_is_listened_to(server: PlaybackServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/"


@pytest.mark.parametrize("path", ["/", "/?x=1"])
def test_the_page_is_there(server: PlaybackServer, path: str) -> None:
    response, body = ask(server, path)
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
    assert body.decode() == "<!doctype html>стр"


@pytest.mark.parametrize(
    "path", ["/page.html", "/video", "/video/", "/video/other.webm", "/../", "/video/..%2f"]
)
def test_nothing_else_is_there(server: PlaybackServer, path: str) -> None:
    response, body = ask(server, path)
    assert response.status == 404
    assert VIDEO[:10] not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_there_is_nothing_but_reading(server: PlaybackServer, method: str) -> None:
    response, _body = ask(server, "/", method)
    assert response.status == 501


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "[::1]:80", ""])
def test_a_page_of_another_name_gets_nothing(server: PlaybackServer, host: str) -> None:
    response, body = ask(server, "/", Host=host)
    assert response.status == 421
    assert "стр".encode() not in body


def test_localhost_is_this_machine(server: PlaybackServer) -> None:
    response, _body = ask(server, "/", Host=f"localhost:{server.server_port}")
    assert response.status == 200


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-", 0, len(VIDEO) - 1),
        ("bytes=10-19", 10, 19),
        ("bytes=300000-700000", 300000, 700000),
        ("bytes=-7", len(VIDEO) - 7, len(VIDEO) - 1),
        (f"bytes=5-{10**15}", 5, len(VIDEO) - 1),
        (f"bytes=-{10**15}", 0, len(VIDEO) - 1),
    ],
)
def test_a_player_leaps_in_the_video(
    server: PlaybackServer, video: Path, asked: str, first: int, last: int
) -> None:
    response, body = ask(server, f"/{serve.address(video)}", Range=asked)
    assert response.status == 206
    assert response.headers["Content-Range"] == f"bytes {first}-{last}/{len(VIDEO)}"
    assert response.headers["Content-Length"] == str(last - first + 1)
    assert response.headers["Content-Type"] == "video/webm"
    assert body == VIDEO[first : last + 1]


@pytest.mark.parametrize("asked", [f"bytes={len(VIDEO)}-", "bytes=20-10", "bytes=-0"])
def test_a_range_beyond_the_video_is_refused(
    server: PlaybackServer, video: Path, asked: str
) -> None:
    response, body = ask(server, f"/{serve.address(video)}", Range=asked)
    assert response.status == 416
    assert response.headers["Content-Range"] == f"bytes */{len(VIDEO)}"
    assert VIDEO[:10] not in body


@pytest.mark.parametrize("asked", [None, "bytes=-", "bytes=1-2,5-6", "lines=1-2", "bytes=x-y"])
def test_what_is_no_plain_range_gets_the_whole_video(
    server: PlaybackServer, video: Path, asked: str | None
) -> None:
    headers = {} if asked is None else {"Range": asked}
    response, body = ask(server, f"/{serve.address(video)}", **headers)
    assert response.status == 200
    assert response.headers["Accept-Ranges"] == "bytes"
    assert body == VIDEO


def test_head_says_what_get_would_send(server: PlaybackServer, video: Path) -> None:
    for path in ("/", f"/{serve.address(video)}", "/nothing"):
        got, body = ask(server, path)
        said, nothing = ask(server, path, "HEAD")
        assert nothing == b""
        assert said.status == got.status
        assert said.headers["Content-Length"] == str(len(body))


def test_a_video_that_has_gone_is_not_there(server: PlaybackServer, video: Path) -> None:
    video.unlink()
    assert ask(server, f"/{serve.address(video)}")[0].status == 404


def test_a_viewer_who_leaves_early_takes_nobody_along(
    server: PlaybackServer, video: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        with socket.create_connection((serve.HOST, server.server_port), timeout=30) as leaving:
            asks = f"GET /{serve.address(video)} HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}"
            leaving.sendall(f"{asks}\r\n\r\n".encode())
            leaving.recv(10)
    assert ask(server, "/")[0].status == 200
    assert capfd.readouterr().err == ""


def test_a_port_in_use_can_not_be_had(server: PlaybackServer) -> None:
    with pytest.raises(OSError, match="in use"):
        PlaybackServer("", None, server.server_port)
