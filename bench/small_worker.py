"""Works one event a line: what a Lambda environment does between two freezes."""

from __future__ import annotations

import json
import sys
from importlib import import_module


def main() -> None:
    """Finds the handler by its module, as Lambda does. Says when it is imported, and after each."""
    handler = import_module(sys.argv[1]).handler
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        handler(json.loads(line), None)
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
