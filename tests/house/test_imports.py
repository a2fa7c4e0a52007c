"""Imports go one way: routes -> render, forms, present, runs -> store, and all of them -> tokenizer."""

import sys
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.house.sources import PROJECT, imports, modules

ENGINE = modules("tokenizer")
APP = modules("app")

# Import names that differ from their package's name, and what a named dependency is made of.
COMES_WITH = {"python-multipart": {"multipart", "python_multipart"}, "jinja2": {"jinja2", "markupsafe"}}
COMES_WITH["starlette"] = {"starlette", "anyio"}

# What one part of the engine alone may import.
ENGINE_ONLY = {"numpy": "tokenizer.fast", "fsspec": "tokenizer.sources"}

WEB = {"fastapi", "starlette", "jinja2", "uvicorn"}
PAGES = {"app.routes", "app.render", "app.present"}
NOT_OF_RUNS = {*PAGES, "app.forms", "app.views", *WEB}

# module or package -> what nothing of it may import; a package stands for all that is in it. See also the tests below.
FORBIDDEN = {
    "app.views.tokens": {"app"},
    "app.commands": {"app.routes", "app.render", "app.runs", "app.store", "app.sqlite_store", "app.main"},
    "app.paths": {"app"},
    "app.settings": {"app", *WEB},
    "app.present": {"app.routes", "app.render", "app.store", "app.sqlite_store", *WEB},
    "app.present.glyphs": {"app.present", "app.runs", "app.forms"},
    "app.present.sentence": {"app.present.lab", "app.present.lists", "app.present.trace", "app.runs", "app.forms"},
    "app.present.drawing": {"app.present.lab", "app.present.lists", "app.present.trace", "app.runs", "app.forms"},
    "app.render": {"app.routes", "app.runs", "app.store", "app.present"},
    "app.forms": {*PAGES, "app.runs", "app.store"},
    "app.sessions": {*PAGES, "app.runs"},
    "app.runs": NOT_OF_RUNS,
    "app.runs.live": {"app.runs.book", "app.runs.crew", "app.store"},
    "app.runs.crew": {"app.runs.book", "app.store"},
    "app.runs.worker": {"app.runs.book", "app.runs.live", "app.runs.crew", "app.store"},
    "app.runs.training_loop": {"app.runs", "app.store"},
    "app.store": {*NOT_OF_RUNS, "app.runs"},
}


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def test_the_engine_imports_only_the_standard_library_and_regex_and_what_one_part_of_it_needs() -> None:
    allowed = sys.stdlib_module_names | {"regex", "tokenizer"}
    found = {(module, name) for module, file in ENGINE.items() for name in imports(file)}
    others = [(module, name.split(".")[0]) for module, name in sorted(found) if name.split(".")[0] not in allowed]
    assert {name for _, name in others} <= ENGINE_ONLY.keys()
    assert [module for module, name in others if not within(module, ENGINE_ONLY[name])] == []


def test_the_app_imports_only_what_the_project_declares() -> None:
    declared = {name.split(">")[0].split("=")[0] for name in PROJECT["project"]["dependencies"]}
    allowed = set(sys.stdlib_module_names) | {"app", "tokenizer"}
    allowed.update(*(COMES_WITH.get(name, {name.replace("-", "_")}) for name in declared))
    found = {(module, name) for module, file in APP.items() for name in imports(file)}
    assert [each for each in sorted(found) if each[1].split(".")[0] not in allowed] == []


@pytest.mark.parametrize("module", sorted(FORBIDDEN))
def test_imports_go_one_way(module: str) -> None:
    found = {(name, each) for name, file in APP.items() if within(name, module) for each in imports(file)}
    assert found
    assert [each for each in sorted(found) if any(within(each[1], other) for other in FORBIDDEN[module])] == []


def test_views_know_only_each_other() -> None:
    found = {(name, each) for name, file in APP.items() if within(name, "app.views") for each in imports(file)}
    own = {each for each in found if within(each[1], "app")}
    assert own
    assert {each for each in own if not within(each[1], "app.views")} == set()


def test_only_the_wiring_imports_the_routes() -> None:
    importers = {name for name, file in APP.items() if any(within(each, "app.routes") for each in imports(file))}
    assert {name for name in importers if not within(name, "app.routes")} <= {"app.main"}


def test_nothing_imports_the_wiring_or_the_command() -> None:
    found = {(module, name) for module, file in APP.items() for name in imports(file)}
    ends = {each for each in found if within(each[1], "app.main") or within(each[1], "app.cli")}
    assert {module for module, _ in ends} <= {"app.__main__"}
    commands = {module for module, name in found if within(name, "app.commands")}
    assert {module for module in commands if not within(module, "app.commands")} == {"app.cli"}


@pytest.mark.parametrize("package", ["tokenizer", "app"])
def test_no_module_imports_itself_in_a_circle(package: str) -> None:
    inside = modules(package)
    # The package's own __init__ names what is public; the modules below it do not go through it.
    graph = {name: imports(file) & (inside.keys() - {name, package}) for name, file in inside.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        pytest.fail(f"these import each other in a circle: {' -> '.join(cycle.args[1])}")
