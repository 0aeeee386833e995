"""Where packages come from: what the user has told pip, as uv, which installs them, takes it."""

import ast
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from course.runs.environment import interpreter

SECTIONS = ("global", "download", "install", ":env:")
"""The parts of pip's configuration that concern an installation, each above those before it."""
KEPT = ("CACHE", "CONCURRENT", "CONFIG", "DEFAULT_INDEX", "EXTRA_INDEX", "FIND_LINKS", "HTTP",
        "INDEX", "INSECURE_HOST", "KEYRING", "LINK_MODE", "LOCK", "NATIVE_TLS", "NO_CONFIG",
        "OFFLINE", "SYSTEM_CERTS")  # fmt: skip
"""How those of uv's own variables begin, after `UV_`, that say where packages come from and how.
All others (a target folder, constraints, builds from source) belong to other installations."""
TRUE = ("1", "true", "yes", "on", "y", "t")


@dataclass(frozen=True)
class Supply:
    """Where packages come from, besides the user's own settings: a folder or page, and no index."""

    find_links: str | None = None
    no_index: bool = False


def read_pip() -> dict[str, str]:
    """The user's settings for pip that count for an installation, by the names of its options.

    pip itself is asked, since it knows where its files lie and which one counts. Where the
    environment of `course` has no pip, its variables hold all the same.
    """
    command = [sys.executable, "-P", "-m", "pip", "config", "list"]
    # A user who wants pip to be quiet would get no list.
    listing = subprocess.run(
        command, env={**os.environ, "PIP_QUIET": "0"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    lines = [f":env:.{k[4:]}={v!r}" for k, v in os.environ.items() if k.startswith("PIP_")]
    found: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in [*listing.stdout.splitlines(), *lines]:
        key, _equals, value = line.partition("=")
        section, _dot, name = key.rpartition(".")
        if section in found and value[:1] in ("'", '"'):
            found[section][name.lower().replace("_", "-")] = ast.literal_eval(value)
    return {name: value for part in found.values() for name, value in part.items()}


def uv_options(pip: dict[str, str], supply: Supply) -> list[str]:
    """The options for `uv pip install` that say which index and which folders are searched."""
    # A folder that is gone is passed over by pip, but ends uv.
    links = [at for at in pip.get("find-links", "").split() if "://" in at or Path(at).exists()]
    if supply.find_links is not None:
        links.append(supply.find_links)
    options = [word for at in links for word in ("--find-links", at)]
    if supply.no_index or pip.get("no-index", "").lower() in TRUE:
        options.append("--no-index")
    # pip takes the file that fits from whichever index has it. The danger in that, a stranger's
    # package of the same name, does not exist here: every file must have a hash that is pinned.
    return [*options, "--index-strategy", "unsafe-best-match"]


def uv_environment(pip: dict[str, str], own_cache: Path) -> dict[str, str]:
    """The variables for uv: the user's, and what pip has been told of indexes and connections.

    Args:
        pip: the user's settings for pip.
        own_cache: the folder that uv keeps packages in where the user wants no cache: it is
            deleted after the installation, but an interrupted one goes on with it.

    """
    kept = {
        name: value
        for name, value in interpreter.environment().items()
        if not name.startswith(("PIP_", "UV_")) or name.removeprefix("UV_").startswith(KEPT)
    }
    handed_on = {
        # Not as options: they may hold a password, which everybody could read there.
        "UV_DEFAULT_INDEX": pip.get("index-url"),
        "UV_INDEX": " ".join(pip.get("extra-index-url", "").split()),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
        "UV_HTTP_TIMEOUT": (pip.get("timeout") or pip.get("default-timeout", "")).split(".")[0],
        "UV_HTTP_RETRIES": pip.get("retries"),
        "UV_KEYRING_PROVIDER": "subprocess" if pip.get("keyring-provider") == "subprocess" else "",
        "SSL_CLIENT_CERT": pip.get("client-cert"),
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), pip.get("proxy")),
    }
    if pip.get("proxy"):
        # Where both are there, the names in small letters go first.
        kept = {name: v for name, v in kept.items() if not name.endswith("_proxy")}
    # pip knows these two as well, uv does not.
    bundles = (kept.get(name) for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"))
    bundle = pip.get("cert") or next(filter(None, bundles), "")
    handed_on["SSL_CERT_DIR" if os.path.isdir(bundle) else "SSL_CERT_FILE"] = bundle
    if pip.get("no-cache-dir", "").lower() in TRUE or "UV_NO_CACHE" in os.environ:
        handed_on["UV_CACHE_DIR"] = str(own_cache)
    # As pip does, uv trusts what this machine trusts, and tries again as often.
    kept.setdefault("UV_SYSTEM_CERTS", "true" if _has_certificates() else "false")
    kept.setdefault("UV_HTTP_RETRIES", "5")
    return {
        **kept,
        **{name: value for name, value in handed_on.items() if value},
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        "NO_COLOR": "1",
    }


def _has_certificates() -> bool:
    """Whether this machine has certificates of its own; else those that uv brings have to do."""
    import ssl

    if sys.platform != "linux":
        return True
    paths = ssl.get_default_verify_paths()
    return bool(paths.cafile or (paths.capath and os.listdir(paths.capath)))
