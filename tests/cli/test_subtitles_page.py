"""`course subtitles page` and `course subtitles serve`, as a user types them."""

import os
import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.command import CLEAN, ROOT, course
from tests.subtitles.browser.reader import Reader

pytestmark = pytest.mark.live
"""Each starts the real command; `test_subtitles.py` is the fast tier's look at them."""

SRT = """1
00:00:01,000 --> 00:00:03,500
你好，<script>alert(1)</script> --> 再见
Hello, <s> and <pad>

2
00:01:00,000 --> 00:01:02,000
没有 input_ids，ValueError
There are no input_ids: a ValueError
"""


@pytest.fixture
def srt(tmp_path: Path) -> Path:
    path = tmp_path / "видео.srt"
    path.write_text(SRT, "utf-8")
    return path


def test_a_page_of_ones_own_transcript_and_video(srt: Path, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    video = tmp_path / "a film: 1.webm"
    video.write_bytes(b"")
    out = tmp_path / "pages" / "page.html"
    done = course(
        "subtitles", "page", "ch8-4", "--srt", str(srt), "--video", str(video), "-o", str(out)
    )
    assert done.returncode == 0, done.stderr
    text = out.read_text("utf-8")
    assert '"file":"../a%20film%3A%201.webm"' in text
    read = Reader(text)
    assert [e.whole for e in read.find("span", class_="said")] == [
        "Hello, <s> and <pad>",
        "你好，<script>alert(1)</script> --> 再见",
        "There are no input_ids: a ValueError",
        "没有 input_ids，ValueError",
    ]
    assert len(read.find("script")) == 2


def test_a_transcript_of_another_lesson_is_called_that(tmp_path: Path) -> None:
    cues = [
        f"{n}\n00:{n:02}:00,000 --> 00:{n:02}:05,000\nBoil the potatoes, then peel them slowly\n"
        for n in range(1, 40)
    ]
    (tmp_path / "cooking.srt").write_text("\n".join(cues), "utf-8")
    out = tmp_path / "page.html"
    done = course(
        "subtitles", "page", "ch8-4", "--srt", str(tmp_path / "cooking.srt"), "-o", str(out)
    )
    assert done.returncode == 0, done.stderr
    assert "confidence is low" in done.stderr
    assert Reader(out.read_text("utf-8")).find("p", class_="warning")


@pytest.mark.skipif(os.name == "nt", reason="a process of Windows gets no Ctrl-C from another")
def test_a_page_is_served_until_ctrl_c(srt: Path, tmp_path: Path) -> None:
    video = tmp_path / "film.webm"
    video.write_bytes(b"0123456789")
    command = ["subtitles", "serve", "ch8-4", "--srt", str(srt), "--video", str(video)]
    with subprocess.Popen(
        [sys.executable, "-m", "course", *command],
        cwd=ROOT,
        env={**CLEAN, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as serving:
        assert serving.stdout is not None
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", serving.stdout.readline())
        assert found is not None
        connection = HTTPConnection("127.0.0.1", int(found.group(1)), timeout=30)
        connection.request("GET", "/")
        text = connection.getresponse().read().decode()
        assert '"file":"video/film.webm"' in text
        connection.request("GET", "/video/film.webm", headers={"Range": "bytes=2-4"})
        assert connection.getresponse().read() == b"234"
        connection.close()
        serving.send_signal(signal.SIGINT)
        _out, said = serving.communicate(timeout=60)
    assert serving.returncode == 130
    assert "Traceback" not in said


def test_a_port_in_use_is_one_sentence(srt: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = course("subtitles", "serve", "ch8-4", "--srt", str(srt), "--port", port)
    assert done.returncode == 2
    assert port in done.stderr
    assert "--port" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
