"""What the tests of the house read: the tracked files, and who imports whom."""

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())


def tracked() -> list[str]:
    """The paths that belong to the repository: tracked ones, and new ones that are not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


def modules(package: str) -> dict[str, Path]:
    """Module name -> file, for all modules of a top-level package."""
    files = sorted((ROOT / package).rglob("*.py"))
    return {_module_name(file): file for file in files}


def imports(file: Path) -> set[str]:
    """The full names that a module imports, inside functions too; `from a import b` gives both a and a.b."""
    return {name for node in ast.walk(ast.parse(file.read_text())) for name in _imported(node, file)}


def _module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(node: ast.AST, file: Path) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            package = file.relative_to(ROOT).parts[: -node.level]
            base = ".".join([*package, *([base] if base else [])])
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)
