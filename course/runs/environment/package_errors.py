"""What a failure of uv means, in one sentence that says what to do."""

import platform
import re
from pathlib import Path

from course.i18n import _
from course.runs.environment.package_settings import Supply

NO_SPACE = re.compile(
    r"No space left on device|os error (?:28|122|112)\b|Disk quota exceeded|not enough space"
)
HASH = re.compile(r"Hash mismatch for `([^`]+)`|hash mismatch", re.IGNORECASE)
CERTIFICATE = re.compile(r"invalid peer certificate|certificate verify failed|UnknownIssuer")
NETWORK = re.compile(
    r"error sending request|client error|dns error|timed out|connection (?:refused|reset|closed)"
    r"|error decoding response body|error reading a body|HTTP status (?:server|client) error"
    r"|Failed to fetch|tunnel error|authentication credentials|network connectivity is disabled"
    r"|IncompleteMessage|unexpected end of file",
    re.IGNORECASE,
)
NO_MATCH = re.compile(r"you require ([\w.-]+==[^\s,]+)")
FORBIDDEN = re.compile(r"Permission denied|Read-only file system|os error (?:13|30|5)\b")


def explain(output: str, place: Path, cache: Path, release: str, supply: Supply, log: Path) -> str:
    """What a failure of uv means.

    Args:
        output: what uv wrote.
        place: where the environment is made.
        cache: where uv keeps packages.
        release: the version of Python that the environment is made with.
        supply: where packages were to come from besides the user's settings.
        log: the file that holds all of the output.

    """
    where, variable = (place, "COURSE_RUNTIMES")
    if str(cache) in output and str(place) not in output:
        where, variable = (cache, "UV_CACHE_DIR")
    named = {"log": f"`{log}`", "place": f"`{where}`", "variable": f"`{variable}`"}
    if NO_SPACE.search(output):
        sentence = _(
            "There is no space left in {place}: free some and run it again; it goes on then."
        )
        return sentence.format(**named)
    match = HASH.search(output)
    if match:
        sentence = _(
            "The file that was downloaded for {package} is not the one that was pinned, so it is "
            "not used: try again, or take another mirror (`PIP_INDEX_URL`); {log} says more."
        )
        return sentence.format(package=f"`{match.group(1) or '?'}`", **named)
    if CERTIFICATE.search(output):
        sentence = _(
            "The package index shows a certificate that is not trusted here: name your "
            "organisation's own in `PIP_CERT`, and run it again; {log} says more."
        )
        return sentence.format(**named)
    match = NO_MATCH.search(output)
    if match:
        return _explain_missing(match.group(1), release, supply, log)
    if NETWORK.search(output):
        sentence = _(
            "The package index cannot be reached: check the network, the proxy (`PIP_PROXY`) and "
            "the mirror (`PIP_INDEX_URL`), and run it again; it goes on where it stopped. {log} "
            "says more."
        )
        return sentence.format(**named)
    if FORBIDDEN.search(output):
        sentence = _(
            "Something in {place} cannot be written: mend its permissions, or name another folder "
            "in {variable}; {log} says more."
        )
        return sentence.format(**named)
    return _("uv failed, and why is not known here: {log} holds its output.").format(**named)


def _explain_missing(package: str, release: str, supply: Supply, log: Path) -> str:
    machine = f"Python {release}, {platform.system()} {platform.machine()}"
    if supply.no_index and supply.find_links:
        sentence = _(
            "The folder {folder} lacks {package} for this machine ({machine}): fetch it on one of "
            "the same kind, as the README says, and run it again."
        )
        return sentence.format(
            folder=f"`{supply.find_links}`", package=f"`{package}`", machine=machine
        )
    sentence = _(
        "There is no {package} for this machine ({machine}): name another Python with {option}, "
        "or another mirror in `PIP_INDEX_URL`; {log} says more."
    )
    return sentence.format(
        package=f"`{package}`", machine=machine, option="`--python PATH`", log=f"`{log}`"
    )
