"""Where the mesh files are that a description names. They are looked for, and never opened."""

import os
from itertools import chain

PACKAGES = ("package", "model")  # the schemes whose paths begin with the name of a package
NOWHERE = object()  # in place of a folder: files are not looked for at all


class MeshFiles:
    """The files that a description in `folder` names; None for one that is only text, and NOWHERE
    for one that must not learn which files there are."""

    def __init__(self, folder=None):
        self.looking = folder is not NOWHERE
        self.folder = os.path.abspath(folder) if self.looking and folder is not None else None
        self.found, self.roots = {}, {}  # what was asked for before

    def find(self, written):
        """The path of the file that a description means; what it says, if there is none."""
        if not self.looking:
            return written
        if written not in self.found:
            there = filter(os.path.isfile, self._candidates(written))
            self.found[written] = next(map(os.path.normpath, there), written)
        return self.found[written]

    def _candidates(self, written):
        scheme, has_scheme, rest = written.partition("://")
        if not has_scheme:
            if self.folder is not None or os.path.isabs(written):
                yield os.path.join(self.folder or "", written)
        elif scheme == "file":
            yield rest
        elif scheme in PACKAGES:
            package, _, inside = rest.partition("/")
            for root in self._roots(package):
                yield os.path.join(root, inside)

    def _roots(self, package):
        """The folders that a package may be: around the description, then where ROS has them."""
        if package not in self.roots:
            around = list(_upward(self.folder)) if self.folder else []
            ros = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
            ament = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
            above = chain(around, filter(None, ros))
            named = [
                (a if os.path.basename(a) == package else os.path.join(a, package)) for a in above
            ]
            named += [os.path.join(a, "share", package) for a in filter(None, ament)]
            # last, a package under another name, with its files where it has them
            self.roots[package] = [*filter(os.path.isdir, named), *around]
        return self.roots[package]


def _upward(folder):
    """The folder, the one that it is in, and so on."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above
