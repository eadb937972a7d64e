"""`python -m onthedot.api.admin.first_key` makes an admin key and prints it, if none is valid.

It uses the deployer's credentials. The table is ACCESS_TABLE's, or the first argument.
"""

from __future__ import annotations

import os
import sys

from onthedot.registry import api_keys


def main(arguments: list[str]) -> int:
    """Prints only the key on stdout. Later calls only say that there is one."""
    if arguments:
        os.environ["ACCESS_TABLE"] = arguments[0]
    text = api_keys.make_first()
    if text is None:
        sys.stderr.write("There is a valid admin key already: make more keys with it.\n")
        return 0
    sys.stderr.write("An admin key, shown only this once:\n")
    sys.stdout.write(f"{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
