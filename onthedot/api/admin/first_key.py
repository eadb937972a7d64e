"""`python -m onthedot.api.admin.first_key`: makes an admin key and prints it, if none opens.

Runs with the deployer's credentials; the table is ACCESS_TABLE's, or the first argument's.
"""

from __future__ import annotations

import os
import sys

from onthedot.registry import api_keys


def main(arguments: list[str]) -> int:
    """Say the key on stdout and nothing else there; later calls only say that there is one."""
    if arguments:
        os.environ["ACCESS_TABLE"] = arguments[0]
    text = api_keys.make_first()
    if text is None:
        sys.stderr.write("There is an admin key that opens already: more keys are made with it.\n")
        return 0
    sys.stderr.write("An admin key; it is shown this once:\n")
    sys.stdout.write(f"{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
