"""Makes a small real video: a test picture and a tone."""

import subprocess
from pathlib import Path


def make(target: Path, seconds: int, *, picture: bool = True) -> Path:
    """Make a WebM of so many seconds (VP8 and Vorbis; only the tone without a picture)."""
    import imageio_ffmpeg

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y"]
    if picture:
        command += ["-f", "lavfi", "-i", f"testsrc=size=160x90:rate=5:duration={seconds}"]
    command += ["-f", "lavfi", "-i", f"sine=frequency=220:duration={seconds}"]
    if picture:
        command += ["-c:v", "libvpx", "-b:v", "40k", "-g", "10", "-deadline", "realtime"]
    command += ["-c:a", "libvorbis", "-ac", "1", "-ar", "16000", str(target)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return target
