"""What lies in the repository: the agreed folders, and nothing that belongs to one machine."""

import re

from tests.house.sources import ROOT, tracked

FOLDERS = {".ci", "app", "static", "templates", "tests", "tokenizer"}
# Spelt in parts, so that this file does not hold what it looks for.
ELSEWHERE = {
    "a package registry's host": [
        "py" + "pi.org",
        "python" + "hosted.org",
        "registry." + "npmjs",
        "registry." + "yarn",
    ],
    "a distribution's host": ["//deb." + "debian", "//ftp." + "debian", "archive." + "ubuntu"],
    "an option that names an index": ["index" + "-url", "--find" + "-links", "trusted" + "-host "],
    "a path of one machine": ["/wor" + "k/", "/roo" + "t/", "/tm" + "p/w", "/op" + "t/", "/hom" + "e/", "/User" + "s/"],
}
# Taken over unmodified or as texts that people wrote elsewhere: what they say is not ours.
NOT_OURS = re.compile(r"static/vendor/|tests/vendor/|tests/data/|app/data/")


def test_only_the_agreed_folders_are_at_the_top() -> None:
    assert {path.split("/")[0] for path in tracked() if "/" in path} <= FOLDERS


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    found = []
    for path in tracked():
        if NOT_OURS.match(path):
            continue
        text = (ROOT / path).read_bytes().decode("utf-8", "replace")
        found += [(path, what, word) for what, words in ELSEWHERE.items() for word in words if word in text]
    assert found == []


def test_nothing_generated_is_tracked() -> None:
    left = re.compile(r"(^|/)(__pycache__|\.venv|node_modules|dist|build)/|\.(pyc|whl|sqlite3.*)$")
    assert [path for path in tracked() if left.search(path)] == []
