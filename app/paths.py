"""Where the pages and the static files lie: at the top of a checkout, inside this package once it is installed."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


TEMPLATES = _folder("templates")
STATIC = _folder("static")
