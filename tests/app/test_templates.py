"""What the strict policy and htmx ask of every template, style sheet and script, read from the files."""

import re
from pathlib import Path

import pytest

from app.paths import STATIC, TEMPLATES

PAGES = sorted(TEMPLATES.rglob("*.html"))
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
SHEETS = sorted((STATIC / "css").glob("*.css"))
COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
SWAPPED = ("step", "progress", "pairs", "rows", "merges", "cut", "row", "recipe", "trace", "decoded", "fault")


def name(path: Path) -> str:
    return path.name if path.parent in (TEMPLATES, STATIC) else f"{path.parent.name}/{path.name}"


def markup(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_nothing_is_inline(path: Path) -> None:
    text = markup(path)
    assert not re.search(r"<style|\sstyle\s*=|\son[a-z]+\s*=|javascript:", text)
    assert all(" src=" in tag for tag in re.findall(r"<script[^>]*>", text))
    assert not re.search(r"(?:src|href|action)=[\"'](?:https?:)?//", text)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_htmx_is_used_without_eval(path: Path) -> None:
    text = markup(path)
    assert not re.search(r"(?<!data-)\bhx-[a-z:-]+=", text), "data-hx- names only"
    assert "hx-on" not in text
    assert "js:" not in text
    assert not any("[" in trigger for trigger in re.findall(r"data-hx-trigger=\"([^\"]*)\"", text))


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_nothing_is_marked_as_safe(path: Path) -> None:
    assert not re.search(r"\|\s*safe|autoescape|Markup", markup(path))


@pytest.mark.parametrize("part", SWAPPED)
def test_a_part_is_named_as_its_root(part: str) -> None:
    (path,) = TEMPLATES.rglob(f"_{part}.html")
    roots = re.findall(r"^<section id=\"(\w+)\"", markup(path), re.MULTILINE)
    assert roots == [part]


def test_htmx_is_told_to_keep_to_the_policy() -> None:
    config = re.search(r"name=\"htmx-config\" content='([^']*)'", markup(TEMPLATES / "base.html"))
    assert config is not None
    assert '"includeIndicatorCSS": false' in config.group(1)
    assert '"noSwap": [204, 304, "4xx", "5xx"]' in config.group(1)


def test_a_leading_newline_in_a_text_box_survives() -> None:
    for path in PAGES:
        for opening in re.findall(r"<textarea[^>]*(?:\"[^\"]*\"[^>]*)*>(.?)", markup(path), re.DOTALL):
            assert opening == "\n", path


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_scripts_are_small_and_set_no_markup(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text)


@pytest.mark.parametrize("path", SHEETS, ids=name)
def test_style_sheets_load_nothing(path: Path) -> None:
    assert not re.search(r"@import|url\(", path.read_text(encoding="utf-8"))
