"""What the tests of uploads share: a large file, what is left of what was sent, and a disk without room."""

import errno

import pytest

KINDS = ("corpora", "uploads", "arriving")
LARGE = ("".join(f"line {number} é\r\n" for number in range(150_000))).encode()  # more than is spooled in memory
BOUNDARY = "----upload"
HEADERS = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
HEAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'.encode()
TAIL = f"\r\n--{BOUNDARY}--\r\n".encode()


@pytest.fixture
def kept(settings):
    """What is in the store's folder, by kind, but for the toy corpus."""
    root = settings.store_path.with_name("store.sqlite3-files")

    def look() -> dict[str, list[int]]:
        found = {kind: sorted(path.stat().st_size for path in (root / kind).iterdir()) for kind in KINDS}
        found["corpora"].remove(95)
        return {kind: sizes for kind, sizes in found.items() if sizes}

    return look


@pytest.fixture
def full_disk(monkeypatch):
    """Fills the disk when it is called: `where` is what cannot write any more."""

    def no_room(*_arguments: object, **_options: object):
        raise OSError(errno.ENOSPC, "No space left on device")

    def fill(where: str = "app.files.tempfile.mkstemp") -> None:
        monkeypatch.setattr(where, no_room)

    return fill
