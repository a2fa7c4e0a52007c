"""Reading pages in tests: elements and text, by a parser, never by a pattern over markup."""

from html.parser import HTMLParser

HX = {"HX-Request": "true", "HX-Target": "div#lab"}
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.words = []
        self._open = []
        self._within = {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.found.append((tag, attributes))
        if tag not in VOID:
            self._open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        self.words.append(data)
        for _, name in self._open:
            if name:
                self._within.setdefault(name, []).append(data)

    @property
    def text(self):
        """All text of the page."""
        return "".join(self.words)

    @property
    def classes(self):
        """All classes that elements have."""
        return {name for _, attrs in self.found for name in (attrs.get("class") or "").split()}

    def inside(self, name):
        """The text inside the element with this id."""
        return "".join(self._within.get(name, ())).strip()

    def of(self, tag, **attributes):
        """The attributes of each element of a kind that has these."""
        return [
            attrs
            for name, attrs in self.found
            if name == tag and all(attrs.get(key) == value for key, value in attributes.items())
        ]


def page_of(answer, status=200):
    """The elements of an answer that must be a page or a part of one."""
    assert answer.status_code == status, answer.text[:2_000]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Elements(answer.text)
