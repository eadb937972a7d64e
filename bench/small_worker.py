"""Works one event a line: what a Lambda environment does between two freezes."""

from __future__ import annotations

import json
import sys

from lambdas.work import handler


def main() -> None:
    """Says when it is imported, and after each event."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        handler(json.loads(line), None)
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
