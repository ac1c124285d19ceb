"""`paraxis sweep`: a study from a YAML file, its status, and the page of its result."""

import sys

from ..checks import shown
from ..errors import ArgumentError, Interrupted
from .arguments import integer
from .files import check_writable, print_written, write

STATUS, PAGE = "status", "page"
EPILOG = """examples:
  paraxis sweep study.yaml -o study.zarr --workers 4
  paraxis sweep status study.zarr             how far it is
  paraxis sweep page study.zarr -o page.html  the page of its result

The same command continues a study that was interrupted. The documentation
describes the file under "Sweeps".
"""


def add(commands):
    about = "a study over a space of variables, kept in a Zarr store"
    command = commands.add_parser(
        "sweep", help=about, description=f"Compute {about}.", epilog=EPILOG
    )
    command.add_argument("words", metavar="FILE", nargs="+", help="the study, as YAML")
    command.add_argument(
        "-o", "--output", metavar="STORE", help="the store, a path or URL; for page, a file"
    )
    add_where(command)
    command.add_argument("--retry-failed", action="store_true", help="compute failed blocks again")
    command.add_argument(
        "--estimate", action="store_true", help="print how large it is and how long it will take"
    )
    return command


def add_where(command):
    """Declare the arguments that `where_of` reads."""
    group = command.add_argument_group("what computes (default: this process)")
    group.add_argument(
        "--workers", metavar="N", type=integer(1, 4096), help="this many processes on this machine"
    )
    group.add_argument("--scheduler", metavar="ADDRESS", help="the workers of a Dask scheduler")


def where_of(arguments):
    return {"workers": arguments.workers, "scheduler": arguments.scheduler}


def run(arguments):
    first, *rest = arguments.words
    if first in (STATUS, PAGE) and len(rest) == 1:
        return (_status if first == STATUS else _page)(arguments, rest[0])
    if rest:
        raise ArgumentError(f"expected one study, found {shown(' '.join(arguments.words), 300)}")
    return _sweep(arguments, first)


def _sweep(arguments, path):
    from ..sweeps.estimating import estimate
    from ..sweeps.study import sweep
    from .study import read_study

    study = read_study(path)
    if arguments.estimate:
        print(estimate(study.function, study.space, block=study.block))
        return 0
    if arguments.output is None:
        raise ArgumentError("-o: name the store, as in -o study.zarr")
    return finished(
        lambda: sweep(
            study.function,
            study.space,
            arguments.output,
            block=study.block,
            limit=study.limit,
            units=study.units,
            retry_failed=arguments.retry_failed,
            started=print_estimate,
            **where_of(arguments),
        )
    )


def print_estimate(found):
    print(f"  {found}", file=sys.stderr)


def finished(run):
    """Run a sweep and print its status: 0 if it is complete, 1 if blocks failed."""
    import warnings

    from ..sweeps.progress import SweepWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SweepWarning)  # the status says the same
            status = run().status
    except Interrupted as stopped:
        print(f"paraxis: {stopped}", file=sys.stderr)
        raise
    return print_status(status)


def print_status(status):
    print(f"  {status}")
    for number, error in [*status.errors.items()][:5]:
        print(f"  block {number}: {shown(error, 400)}")
    if status.failed:
        more = f"; {status.failed - 5:,} more" if status.failed > 5 else ""
        print(f"  --retry-failed computes failed blocks again{more}")
    return 1 if status.failed else 0


def _status(arguments, store):
    from ..sweeps.progress import status

    found = status(store)
    print_status(found)
    return 0


def _page(arguments, store):
    from ..sweeps.files import StoreError, files_at
    from ..sweeps.store import found_at
    from ..sweeps.study import Sweep
    from .terminal import Terminal

    if arguments.output is None:
        raise ArgumentError("-o: name the page, as in -o page.html")
    check_writable(output=arguments.output)
    found = found_at(files_at(store))
    if found is None:
        raise StoreError(f"{shown(store, 300)}: there is no study")
    write(arguments.output, Sweep(found).to_html())
    print_written(Terminal(stderr=arguments.output == "-"), arguments.output)
    return 0
