"""Find a Chromium for the browser tests, or install one; `python -m tests.browser.chromium` prints its path.

In this order: what the variable CHROMIUM names; a browser on PATH; one that Playwright installed before. Else it is
installed: from the distribution where this user may do that, else by Playwright. Tests never install and never skip:
they call `launch_options()`, and a missing browser is a failure that says what to do.

Beside it, most tests use Chromium's headless shell where it is installed: the same engine without windows and
preferences, for a fifth less of the processor.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL = "chromium-headless-shell"
MAC_APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# Nothing of the browser's own calls home, and a container's small /dev/shm is not used.
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    # Fewer processes: the same pages for a tenth less of the processor.
    "--disable-site-isolation-trials",
    "--in-process-gpu",
    "--process-per-site",
)

NO_CHROMIUM = (
    "The browser tests need a Chromium and found none. `make test` installs it where it can; else install Chromium or"
    f" Chrome so that one of {', '.join(NAMES)} is on PATH, or name its program in the variable CHROMIUM."
)
NO_DRIVER = (
    "The browser tests' driver does not start; `python -m playwright --version` shows why. Often the system library"
    " libatomic is missing (Debian and Ubuntu keep it in the package libatomic1)."
)


class ChromiumMissing(RuntimeError):
    """There is no Chromium, and none could be installed."""


def find() -> Path | None:
    """The path of an installed Chromium that runs, None where there is none."""
    return next((Path(each) for each in _candidates() if each and _runs(each)), None)


def ensure() -> Path:
    """The path of a Chromium, installed now if there is none, and with it what Playwright needs to run at all.

    Raises:
        ChromiumMissing: none could be installed; the message says what to do.
    """
    ready = _ready()
    for install in (_install_from_distribution, _install_by_playwright):
        if ready is None:
            install()
            ready = _ready()
    if ready is not None:
        return ready
    raise ChromiumMissing(NO_CHROMIUM if find() is None else NO_DRIVER)


@cache
def launch_options(*, whole: bool = False) -> dict[str, Any]:
    """What Playwright's `chromium.launch` needs here: the path and the arguments.

    Args:
        whole: a browser as people use it, not the shell alone.

    Raises:
        ChromiumMissing: `make test` installs one.
    """
    found = (None if whole else _shell()) or find()
    if found is None:
        raise ChromiumMissing(NO_CHROMIUM)
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return {"executable_path": str(found), "args": [*ARGUMENTS, *(["--no-sandbox"] if as_root else [])]}


def _ready() -> Path | None:
    found = find()
    return found if found and _driver_runs() else None


def _shell() -> Path | None:
    found = None if os.environ.get("CHROMIUM") else shutil.which(SHELL)
    return Path(found) if found and _runs(found) else None


def _runs(program: str) -> bool:
    # A distribution may put a stand-in on PATH that only says how to get the real one, so a name alone is not enough.
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and b"chrom" in answer.stdout.lower()


def _candidates() -> Iterator[str | None]:
    yield os.environ.get("CHROMIUM")
    yield from map(shutil.which, NAMES)
    yield from MAC_APPLICATIONS
    # In a process of its own, since tests ask from within a Playwright session and sessions do not nest.
    script = "from playwright.sync_api import sync_playwright as s; print(s().start().chromium.executable_path)"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    yield answer.stdout.strip()


def _driver_runs() -> bool:
    command = [sys.executable, "-m", "playwright", "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _install_from_distribution() -> None:
    as_root = _as_root()
    if shutil.which("apt-get") is None or as_root is None:
        return
    browser = [] if find() else ["chromium", "fonts-dejavu-core"]
    driver = [] if _driver_runs() else ["libatomic1"]
    get = [*as_root, "apt-get", "-o", "Acquire::Retries=3"]
    install = [*get, "install", "--yes", "--no-install-recommends"]
    _call([*get, "update"])
    _call([*install, *browser, *driver])
    if browser and _shell() is None:
        _call([*install, SHELL])  # by itself: not every distribution has it


def _install_by_playwright() -> None:
    if shutil.which("apt-get") and _as_root() is not None:
        _call([sys.executable, "-m", "playwright", "install-deps", "chromium"])
    _call([sys.executable, "-m", "playwright", "install", "chromium"])


def _as_root() -> list[str] | None:
    """How a command is run as root without asking for a password; None where that is not possible."""
    if os.geteuid() == 0:
        return ["env", "DEBIAN_FRONTEND=noninteractive"]
    if (
        shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def _call(command: list[str]) -> None:
    """Run an installing command; its output goes to standard error, its failure is seen by what is there after it."""
    print("Installing a Chromium:", " ".join(command), file=sys.stderr, flush=True)
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)


if __name__ == "__main__":
    try:
        print(ensure())
    except ChromiumMissing as reason:
        sys.exit(str(reason))
