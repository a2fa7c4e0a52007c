from tests.bench.install import requirements

LOCK = """\
one==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via merge-next (pyproject.toml)
two-more==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:cc
    # via one
"""


def test_a_lock_is_taken_apart_into_requirements_with_their_hashes_and_markers() -> None:
    assert requirements(LOCK) == {
        "one": "one==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb",
        "two-more": "two-more==2.0 ; sys_platform == 'win32' \\\n    --hash=sha256:cc",
    }
