"""Real servers on this machine, driven with a generated package through official clients.

    python -m tests.servers [PART …]

Parts: litellm, mcp, vllm, and, only if it is named, clients: the clients that people use, in front of the gateway of the
examples. It is no part of the test suite: it installs large packages below build/servers, and takes
minutes. A part that cannot be set up is skipped. The exit code is 1 if something that ran is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence

from tests.servers import gateway_clients, litellm_proxy, mcp_programs, vllm_server
from tests.servers.common import CannotBeSetUp, Report

PARTS = {"litellm": litellm_proxy.run, "mcp": mcp_programs.run, "vllm": vllm_server.run, "clients": gateway_clients.run}
UNNAMED = ("litellm", "mcp", "vllm")
"""The parts that run if none is named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run parts, and print what each did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    names = parser.parse_args(arguments).parts or list(UNNAMED)
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    return 1 if sum(faults_of(name) for name in names) else 0


def faults_of(name: str) -> int:
    """Run a part, print what it did, and return the number of faults."""
    report = Report()
    start = time.monotonic()
    try:
        PARTS[name](report)
    except CannotBeSetUp as reason:
        print(f"{name}: skipped. {reason}")
        return 0
    except Exception:  # noqa: BLE001 - whatever ends a part is a fault, and the other parts still run
        report.faults.append(traceback.format_exc())
    print(f"{name}: {report.checks} checks, {len(report.faults)} faults, {time.monotonic() - start:.0f} seconds")
    for figure in report.figures:
        print(f"  {figure}")
    for fault in report.faults:
        print(f"  FAULT {fault}")
    return len(report.faults)


if __name__ == "__main__":
    sys.exit(main())
