"""`python -m tests.bench.install`: the peers of `requirements-bench.lock` that have a wheel for this Python and system.

pip takes a file with hashes whole or not at all, so each peer is a file of its own here. One that cannot be had is
named and left out, as the bench leaves it out.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
# Wheels only and hashed, as the Makefile installs everything else. What they need is locked and installed already.
HASHED = ("--require-hashes", "--only-binary", ":all:", "--no-deps")


def requirements(lock: str) -> dict[str, str]:
    """The requirements of a lock file's text with their hashes, by name."""
    found = re.finditer(r"^([\w.-]+)==.*(?:\n    --hash.*)+", lock, re.MULTILINE)
    return {each[1]: each[0] for each in found}


def install(requirement: str) -> str:
    """Install one requirement; what pip said if it could not."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "requirement.txt"
        path.write_text(requirement, encoding="utf-8")
        done = subprocess.run([*PIP, *HASHED, "-r", str(path)], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def main() -> None:
    """Install what the bench's lock has beyond the tests' one."""
    locked = requirements((ROOT / "requirements-bench.lock").read_text(encoding="utf-8"))
    tested = requirements((ROOT / "requirements-dev.lock").read_text(encoding="utf-8"))
    for name, requirement in locked.items():
        if name not in tested and (refused := install(requirement)):
            print(f"{name} is left out. {refused.splitlines()[-1]}")


if __name__ == "__main__":
    main()
