"""Exit with 0 if the server on this machine answers `/healthz`, else with 1 (for the container's HEALTHCHECK)."""

import http.client
import os
import sys


def main() -> int:
    """Ask once."""
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("PORT", "8000")), timeout=4)
    try:
        connection.request("GET", "/healthz")
        return 0 if connection.getresponse().status == http.client.OK else 1
    except OSError:
        return 1
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
