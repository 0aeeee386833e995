"""pip, as an environment is made with it: what it is told, and what its failures mean."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course.i18n import _
from course.run.environment import interpreter
from course.run.environment.interpreter import Interpreter

CHUNK = 8
"""Requirements that are downloaded at a time: what is done of them outlives an interruption."""
KEPT = {
    f"PIP_{name}"
    for name in (
        "CACHE_DIR", "CERT", "CLIENT_CERT", "CONFIG_FILE", "DEFAULT_TIMEOUT", "EXTRA_INDEX_URL",
        "FIND_LINKS", "INDEX_URL", "KEYRING_PROVIDER", "NO_CACHE_DIR", "NO_INDEX", "NO_PROXY",
        "PROXY", "RESUME_RETRIES", "RETRIES", "TIMEOUT", "TRUSTED_HOST", "USE_DEPRECATED",
        "USE_FEATURE",
    )
}  # fmt: skip
"""The user's settings that say where packages come from, and how. All others (a target folder,
constraints, builds from source, another platform) belong to other installs, and could spoil it."""


@dataclass(frozen=True)
class Pin:
    """One requirement of the list, and its line with hashes as pip reads it."""

    name: str
    version: str
    line: str


@dataclass(frozen=True)
class Supply:
    """Where packages come from, besides pip's own settings: a folder or page, and no index."""

    find_links: str | None = None
    no_index: bool = False

    def words(self) -> list[str]:
        """The words for pip."""
        links = ["--find-links", self.find_links] if self.find_links else []
        return [*links, *(["--no-index"] if self.no_index else [])]


def pins(path: Path, python: Interpreter) -> list[Pin]:
    """The requirements of a pinned list that count for an interpreter on this machine."""
    from packaging.markers import Marker

    text = re.sub(r"\\\n", " ", path.read_text("utf-8"))
    short = f"{python.version[0]}.{python.version[1]}"
    target = {"python_version": short, "python_full_version": python.release}
    found = []
    for line in text.splitlines():
        match = re.match(r"([\w.-]+)==(\S+)\s*(?:;(.*?))?\s+(--hash=.*)", line)
        if match:
            name, version, marker, hashes = match.groups()
            if marker is None or Marker(marker).evaluate(target):
                found.append(Pin(name, version, f"{name}=={version} {' '.join(hashes.split())}"))
    return found


def chunks(all_: list[Pin], alone: tuple[str, ...]) -> Iterator[list[Pin]]:
    """The requirements in the order in which they are downloaded: the largest first, alone."""
    yield from ([pin] for pin in all_ if pin.name in alone)
    others = [pin for pin in all_ if pin.name not in alone]
    yield from (others[i : i + CHUNK] for i in range(0, len(others), CHUNK))


def download(target: Path, requirements: Path, supply: Supply) -> list[str]:
    """The words with which pip fetches wheels, and nothing that would have to be built."""
    return [
        "pip", "download", "--no-input", "--disable-pip-version-check", "--progress-bar", "off",
        "--no-deps", "--require-hashes", "--only-binary", ":all:",
        "--dest", str(target), *supply.words(), "--requirement", str(requirements),
    ]  # fmt: skip


def install(wheels: Path, requirements: Path) -> list[str]:
    """The words with which pip installs what has been fetched."""
    return [
        "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off",
        "--no-index", "--find-links", str(wheels), "--no-deps", "--require-hashes",
        "--only-binary", ":all:", "--no-compile", "--no-warn-script-location",
        "--requirement", str(requirements),
    ]  # fmt: skip


def fetching(temporary: Path) -> dict[str, str]:
    """The variables for a download: the user's own settings hold, as far as they concern it."""
    kept = {k: v for k, v in _without_pip().items() if k not in ("TMPDIR", "TEMP", "TMP")} | {
        k: v for k, v in os.environ.items() if k in KEPT
    }
    # Known to newer versions of pip only: go on with a large file whose download broke off.
    kept.setdefault("PIP_RESUME_RETRIES", "5")
    return kept | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))


def installing(temporary: Path) -> dict[str, str]:
    """The variables for what needs no network: no setting of the user's for pip holds."""
    kept = _without_pip() | {"PIP_CONFIG_FILE": os.devnull}
    return kept | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))


def _without_pip() -> dict[str, str]:
    return {k: v for k, v in interpreter.environment().items() if not k.startswith("PIP_")}


NO_SPACE = re.compile(
    r"No space left on device|\[Errno 28\]|Disk quota exceeded|WinError 112|not enough space"
)
HASHES = re.compile(r"DO NOT MATCH THE HASHES")
HASH_OF = re.compile(r"DO NOT MATCH THE HASHES[\s\S]*?\n\s+([\w.-]+==\S+)")
CERTIFICATE = re.compile(r"CERTIFICATE_VERIFY_FAILED|certificate verify failed")
NETWORK = re.compile(
    r"Retrying \(Retry|Max retries exceeded|NewConnectionError|ConnectTimeoutError|ReadTimeout"
    r"|Read timed out|ProxyError|ProtocolError|IncompleteRead|IncompleteDownload|SSLError"
    r"|ConnectionResetError|Connection (?:refused|reset|aborted)|name resolution"
    r"|Could not fetch URL (?!.*404 Client Error)|HTTPError: \d+|HTTP error \d+"
    r"|incomplete-download|NetworkConnectionError"
)
NO_MATCH = re.compile(
    r"No matching distribution found for ([\w.-]+==\S+)"
    r"|satisfies the requirement ([\w.-]+==\S+)"
    r"|([\w.+-]+\.whl) is not a supported wheel"
)
VERSIONS = re.compile(r"\(from versions: (?!none)")
FORBIDDEN = re.compile(r"\[Errno 13\]|\[Errno 30\]|Permission denied|Read-only file system")


def is_unclear(output: str) -> bool:
    """Whether a package was not found, and pip has not said if it could ask for it at all."""
    return "(from versions: none)" in output and not NETWORK.search(output)


def explain(output: str, place: Path, python: Interpreter, supply: Supply, log: Path) -> str:
    """What a failure of pip means, in one sentence that says what to do."""
    named = {"log": f"`{log}`", "place": f"`{place}`", "python": python.release}
    if NO_SPACE.search(output):
        said = _("There is no space left in {place}: free some and run it again; it goes on then.")
        return said.format(**named)
    if HASHES.search(output):
        match = HASH_OF.search(output)
        said = _(
            "The file that was downloaded for {package} is not the one that was pinned, so it is "
            "not used: try again, or take another mirror (`PIP_INDEX_URL`); {log} says more."
        )
        return said.format(package=f"`{match.group(1) if match else '?'}`", **named)
    if CERTIFICATE.search(output):
        said = _(
            "The package index shows a certificate that is not trusted here: name your "
            "organisation's own in `PIP_CERT`, and run it again; {log} says more."
        )
        return said.format(**named)
    # One of several indexes may be out of reach, and another one have answered.
    if NETWORK.search(output) and not VERSIONS.search(output):
        said = _(
            "The package index cannot be reached: check the network, the proxy (`PIP_PROXY`) and "
            "the mirror (`PIP_INDEX_URL`), and run it again; it goes on where it stopped. {log} "
            "says more."
        )
        return said.format(**named)
    match = NO_MATCH.search(output)
    if match:
        package = next(group for group in match.groups() if group)
        return _no_match(package, python, supply, log)
    if FORBIDDEN.search(output):
        said = _(
            "Something in {place} cannot be written: mend its permissions, or name another folder "
            "in `COURSE_RUNTIMES`; {log} says more."
        )
        return said.format(**named)
    return _("pip failed, and why is not known here: {log} holds its output.").format(**named)


def _no_match(package: str, python: Interpreter, supply: Supply, log: Path) -> str:
    import platform

    machine = f"Python {python.release}, {platform.system()} {platform.machine()}"
    if supply.no_index and supply.find_links:
        said = _(
            "The folder {folder} lacks {package} for this machine ({machine}): fetch it on one of "
            "the same kind, as the README says, and run it again."
        )
        return said.format(folder=f"`{supply.find_links}`", package=f"`{package}`", machine=machine)
    said = _(
        "There is no {package} for this machine ({machine}): name another Python with {option}, "
        "or another mirror in `PIP_INDEX_URL`; {log} says more."
    )
    return said.format(
        package=f"`{package}`", machine=machine, option="`--python PATH`", log=f"`{log}`"
    )
