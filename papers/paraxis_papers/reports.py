"""The list of reports. Each is made by the function of its name, in the package of its name."""

from importlib import import_module

from paraxis.checks import one_of

from .document import Report

REPORTS = {  # name -> its subject
    "cordic": "Lee and Chang's CORDIC inverse kinematics, equations to gates",
    "counts": "operation counts beside those the papers print",
    "depth": "times on unlimited processors beside those Lathrop prints",
    "friction": "torques of motors with friction beside Dhanaraj's",
    "log-depth": "Fijany's claims, counted and scheduled; times of long chains",
    "networks": "recurrences on several processors, and the messages between them",
    "schedules": "Dhanaraj's subtasks, levels and times, checked and proved",
    "speculation": "claims about stale data in control, tested",
    "systolic": "Lathrop's arrays of processors, simulated",
}


def report(name: str) -> Report:
    """Make the Report of one of the names in REPORTS; some take a minute."""
    one_of(name, REPORTS, "report")
    package = name.replace("-", "_")
    return getattr(import_module(f"{__package__}.{package}.report"), package)()
