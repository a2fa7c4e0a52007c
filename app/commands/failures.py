"""What a command says when it cannot do what was asked."""


class Failure(Exception):
    """A command ends without having done its work; the message says why and what to do."""
