"""What a command says when it cannot do what was asked."""


class Failure(Exception):
    """A command ends without having done its work; the message says why and what to do."""


def failure_of(error: OSError) -> Failure:
    """What to say of an error of the system: the file, where one is known, and the reason as a sentence."""
    reason = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    return Failure(f"{error.filename}: {reason}." if error.filename is not None else f"{reason}.")
