"""What `paraxis report` does once this package is installed."""

import paraxis as px
from paraxis.checks import one_of
from paraxis.cli.files import check_writable, print_written, write, write_json
from paraxis.cli.terminal import Terminal, waiting

from . import reports
from .document import as_json, markdown
from .page import report_page
from .terminal import print_report


def listing():
    """The names of the reports and what each is about, one per line."""
    lines = (f"  {name:<13}{about}\n" for name, about in reports.REPORTS.items())
    return "reports:\n" + "".join(lines)


def report(name, json=None, html=None, markdown_path=None):
    """Make a report, write it to the paths that are given (`-` for stdout), and print it."""
    check_writable(json=json, html=html, markdown=markdown_path)
    one_of(name, reports.REPORTS, "report")
    with waiting() as say:
        say(f"making the report {name}")
        made = reports.report(name)
    if json:
        write_json(json, as_json(made))
    if html:
        write(html, report_page(made, px.__version__))
    if markdown_path:
        write(markdown_path, markdown(made))
    on_stdout = "-" in (json, html, markdown_path)
    terminal = Terminal(stderr=on_stdout)
    if not on_stdout:
        print_report(terminal, made)
    print_written(terminal, json, html, markdown_path)
