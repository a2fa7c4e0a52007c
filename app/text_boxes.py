"""Text that comes in from a person: what a text box holds of a text and sends back, and what a file holds."""

from tokenizer.errors import CorpusError


def from_text_box(text: str) -> str:
    """What a person wrote into a text box: browsers send line ends as CR LF, whatever the text held (HTML standard)."""
    return text.replace("\r\n", "\n")


def in_text_box(text: str) -> str:
    """What a text box holds of a text: line feeds for every kind of line end, U+FFFD for NUL (HTML standard)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


# Pages cannot hold all of them (a NUL is dropped or becomes U+FFFD), and none of them shows.
_PICTURES = {control: 0x2400 + control for control in range(0x20)} | {0x7F: 0x2421}


def for_heading(text: str) -> str:
    """A text as part of a heading or a title: control characters as their pictures, such as ␀."""
    return text.translate(_PICTURES)


def kept(written: str, original: str) -> str:
    """The original, where a text box that held it came back unchanged; else what was written."""
    return original if from_text_box(written) == in_text_box(original) else from_text_box(written)


def decode_file(data: bytes, read_as: str = "strict") -> str:
    """The text of an uploaded file, character by character: a byte order mark and CR LF stay.

    Args:
        data: the file.
        read_as: "replace" for UTF-8 with U+FFFD where it is not, "latin-1", anything else for UTF-8 alone.

    Raises:
        CorpusError: it is not UTF-8; `position` is the offset of the first byte at fault.
    """
    if read_as == "latin-1":
        return data.decode("latin-1")
    try:
        return data.decode(errors="replace" if read_as == "replace" else "strict")
    except UnicodeDecodeError as error:
        hint = " It looks like UTF-16; save it as UTF-8." if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise CorpusError(
            f"The file is not UTF-8: byte {error.start:,} (counted from 0) is 0x{data[error.start]:02X}, "
            f"which cannot stand there.{hint}",
            field="corpus",
            position=error.start,
        ) from error
