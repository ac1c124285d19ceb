"""`make check` runs tests of every folder of the package."""

from pathlib import Path

from support.processes import SOURCE

PACKAGE = SOURCE / "paraxis"
MAKEFILE = Path(__file__).resolve().parents[1] / "Makefile"
ELSEWHERE = {  # folders whose tests are in a file of another folder
    "drivers": "targets/test_scan.py",
    "joint_functions": "physics/test_joint_by_joint.py",
    "jax": "frameworks/test_jax.py",
}
INSTALLED_APART = {"torch"}  # make test-torch


def quick():
    """The files that QUICK of the Makefile names, from the folder of tests."""
    _, rest = MAKEFILE.read_text(encoding="utf-8").split("\nQUICK = ")
    words = rest.split("\n\n")[0].replace("\\\n", " ").split()
    return {word.split("::")[0].removeprefix("tests/") for word in words}


def test_every_folder_has_quick_tests():
    inits = [*PACKAGE.glob("*/__init__.py"), *PACKAGE.glob("targets/*/__init__.py")]
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in inits}
    assert {"graph", "targets/cpu"} <= folders
    files = quick()
    tested = {"/".join(file.split("/")[:depth]) for file in files for depth in (1, 2)}
    tested |= {folder for folder, file in ELSEWHERE.items() if file in files}
    assert not folders - tested - INSTALLED_APART
