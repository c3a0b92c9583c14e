"""`python -m toolgen`."""

from toolgen.cli import main

if __name__ == "__main__":
    main()
