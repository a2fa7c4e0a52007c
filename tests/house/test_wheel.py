"""A built wheel, installed alone, serves the app: pages and static files travel with it."""

import http.client
import os
import re
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from packaging.requirements import Requirement

from tests.house.sources import ROOT, tracked


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, ROOT)
    [built] = folder.glob("merge_next-*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a new environment with the wheel and what it declares to need, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    [metadata] = site.glob("merge_next-*.dist-info")
    for needed in dependencies(Distribution.at(metadata)):
        link(needed, site)
    return folder / "bin"


@pytest.fixture
def address(programs: Path, tmp_path: Path) -> Iterator[str]:
    """The address of the installed app, served from an empty folder."""
    environment = {"PATH": os.defpath, "HOME": str(tmp_path)}
    command = [programs / "merge-next", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        greeting = server.stdout.readline()
        found = re.search(r"http://\S+", greeting)
        assert found, f"the server did not say where it is: {greeting!r}"
        yield found[0]
        server.terminate()


def test_the_page_and_what_it_links_are_served(address: str) -> None:
    page = first_page(address)
    linked = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.decode())
    assert {get(address, link)[0] for link in linked} == {200}
    vendored = ROOT / "static" / "vendor" / "htmx.min.js"
    assert get(address, "/static/vendor/htmx.min.js") == (200, vendored.read_bytes())


def test_it_runs_without_the_checkout(programs: Path, tmp_path: Path) -> None:
    script = (
        "import app.paths, tokenizer; print(app.__file__, tokenizer.__file__, app.paths.STATIC, app.paths.TEMPLATES)"
    )
    places = run(programs / "python", "-c", script, cwd=tmp_path).split()
    assert all(Path(place).is_relative_to(programs.parent) for place in places)
    assert run(programs / "merge-next", "--version", cwd=tmp_path).startswith("merge-next ")
    assert run(programs / "python", "-m", "app", "--version", cwd=tmp_path).startswith("merge-next ")


def test_the_wheel_has_all_of_the_project_and_no_more(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    inside = {"templates": "app/templates", "static": "app/static", "app": "app", "tokenizer": "tokenizer"}
    parts = [path.partition("/") for path in tracked()]
    assert names == {f"{inside[folder]}/{rest}" for folder, _, rest in parts if folder in inside and rest}


def test_licences_travel_with_the_wheel(wheel: Path) -> None:
    licences = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/licenses/" in name]
    assert {Path(name).name for name in licences} == {"LICENSE", "htmx.LICENSE.txt"}


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """What a command prints; its failure is the test's, with all that it said."""
    finished = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, f"{command}\n{finished.stdout}\n{finished.stderr}"
    return finished.stdout


def first_page(address: str) -> bytes:
    """The page at `/`; on a busy machine it is 202 with progress until the toy corpus is trained."""
    deadline = time.monotonic() + 30
    status, page = get(address, "/")
    while status == 202 and time.monotonic() < deadline:
        time.sleep(0.1)
        status, page = get(address, "/")
    assert status == 200, page.decode()
    return page


def get(address: str, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def dependencies(project: Distribution) -> list[Distribution]:
    """The distributions that one needs, directly or not, as they are installed here; extras left out."""
    found: dict[str, Distribution] = {}
    left = [project]
    while left:
        for line in left.pop().requires or []:
            needed = Requirement(line)
            if needed.name not in found and (not needed.marker or needed.marker.evaluate({"extra": ""})):
                found[needed.name] = distribution(needed.name)
                left.append(found[needed.name])
    return list(found.values())


def link(needed: Distribution, site: Path) -> None:
    """Put an installed distribution into another environment, without a copy."""
    for name in {file.parts[0] for file in needed.files or []} - {"..", "__pycache__"}:
        if not (site / name).exists():
            (site / name).symlink_to(Path(str(needed.locate_file(name))).resolve())
