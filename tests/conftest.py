"""What all tests share: the two sizes that the suite runs at."""

import pytest
from hypothesis import HealthCheck, settings

# A loaded machine is no fault of the code, so nothing has a deadline here; `make bench` measures.
settings.register_profile(
    "quick", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "full", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="full size: more generated inputs, whole texts")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("full" if config.getoption("--full") else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    full = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=full)


@pytest.fixture(scope="session")
def full_size(request: pytest.FixtureRequest) -> bool:
    """Whether this run is at full size (`make test-all`)."""
    return bool(request.config.getoption("--full"))
