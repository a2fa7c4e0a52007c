"""`python -m app` is `merge-next`."""

from app.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
