"""Tables kept in files, so that a corpus that was counted once need not be counted again, nor even be there."""

import json
import logging
from hashlib import sha256
from pathlib import Path

from tokenizer.recipe import Method
from tokenizer.replacing import replacing
from tokenizer.table import Table

log = logging.getLogger(__name__)


def table_key(digest: str, method: Method) -> str:
    """The name of the table of a corpus: of all methods that cut it the same way, whatever they do with the pieces.

    Args:
        digest: the SHA-256 of the corpus's UTF-8, in hex.
        method: of it, the pattern and the special tokens count.
    """
    parts = json.dumps([digest, method.pattern.name, method.pattern.source, method.special_tokens])
    return sha256(parts.encode()).hexdigest()


def read_table(path: Path) -> Table | None:
    """The table in a file; None where there is none, or where it is damaged and has to be counted anew."""
    try:
        return Table.from_bytes(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        log.warning("The table %s cannot be read; the corpus is counted anew", path.name, exc_info=True)
        return None


def write_table(path: Path, table: Table) -> int:
    """Keep a table in a file, always a whole one and its owner's alone; its bytes, 0 where it cannot be kept."""
    data = table.to_bytes()
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)  # somebody may have removed it
        with replacing(path, mode=0o600) as stream:
            stream.write(data)
    except OSError:
        log.warning("The table %s cannot be kept; the corpus is counted again the next time", path.name, exc_info=True)
        return 0
    return len(data)
