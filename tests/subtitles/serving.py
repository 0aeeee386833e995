"""The server of the playback page, answering while a test asks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from course.subtitles.playback.serve import PlaybackServer


@contextmanager
def serving(server: PlaybackServer) -> Iterator[PlaybackServer]:
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
