"""``python -m server``: the same as ``attention-observatory``; without a command it serves."""

from .command import main

if __name__ == "__main__":
    main()
