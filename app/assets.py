"""The static files: read once, addressed by their content, compressed once.

`url` puts a digest of the content into the address, so that browsers may keep a file for a year and still see a change
at once. An address without it (a font that a style sheet names) is checked with the server each time.
"""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from app.packing import accepts_gzip, is_known

YEAR = "public, max-age=31536000, immutable"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
PACKED_TYPES = ("text/", "application/json", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file in memory; `packed` is its gzip form where that is worth it."""

    data: bytes
    packed: bytes | None
    digest: str
    media_type: str


class Assets:
    """All files below a folder."""

    def __init__(self, folder: Path):
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        self._assets = {path.relative_to(folder).as_posix(): _read(path) for path in files}
        self.digest = hashlib.sha256(
            "".join(f"{name} {asset.digest}\n" for name, asset in self._assets.items()).encode()
        ).hexdigest()

    def url(self, name: str) -> str:
        """The address of a file, with the version of its content.

        Raises:
            KeyError: there is no such file; better seen when a page is rendered than when it lacks its style.
        """
        return f"/static/{name}?v={self._assets[name].digest}"

    def answer(self, request: Request, name: str) -> Response | None:
        """The file as an answer; None if there is none."""
        asset = self._assets.get(name)
        if asset is None:
            return None
        known = request.query_params.get("v") == asset.digest
        headers = {
            "Cache-Control": YEAR if known else "no-cache",
            "ETag": f'W/"{asset.digest}"',
            "Vary": "Accept-Encoding",
        }
        if is_known(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        if asset.packed is not None and accepts_gzip(request):
            headers["Content-Encoding"] = "gzip"
            return Response(asset.packed, headers=headers, media_type=asset.media_type)
        return Response(asset.data, headers=headers, media_type=asset.media_type)


def _read(path: Path) -> Asset:
    data = path.read_bytes()
    media_type = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    packed = gzip.compress(data, mtime=0) if media_type.startswith(PACKED_TYPES) and len(data) > 500 else None
    return Asset(data, packed, hashlib.sha256(data).hexdigest()[:12], media_type)
