"""Text that a person writes into a text box: what the box holds of a text and sends back."""


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
