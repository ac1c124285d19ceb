"""`paraxis report`: tables of a paper beside what is measured here, by paraxis-papers."""

from ..errors import MissingPackageError

MISSING = (
    "reports are made by the package paraxis-papers, which is not installed; "
    "from a checkout of Paraxis: pip install ./papers"
)


def add(commands):
    about = "the tables of a paper beside what is measured here"
    report = commands.add_parser(
        "report", help=about, description=f"Make {about}.", epilog=_names_or_how_to_install
    )
    report.add_argument("name", metavar="NAME", nargs="?", help="without it, list the reports")
    for kind, what in (("json", "the rows"), ("html", "a page"), ("markdown", "a document")):
        report.add_argument(
            f"--{kind}", metavar="FILE", help=f"write {what} to this file; - for stdout"
        )
    return report


def run(arguments):
    command = _command()
    if arguments.name is None:
        print(command.listing(), end="")
        return 0
    command.report(arguments.name, arguments.json, arguments.html, arguments.markdown)
    return 0


def _command():
    """The one module of the package that is used here."""
    try:
        from paraxis_papers import command
    except ModuleNotFoundError as error:
        if error.name != "paraxis_papers":
            raise
        raise MissingPackageError(MISSING) from None
    return command


def _names_or_how_to_install():
    try:
        return _command().listing()
    except MissingPackageError:
        return f"{MISSING[0].upper()}{MISSING[1:]}"
