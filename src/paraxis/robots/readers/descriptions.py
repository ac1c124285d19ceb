"""Descriptions that other Python packages hold: robot_descriptions, yourdfpy, xacrodoc."""

import importlib
import importlib.util
import os
import re
from xml.etree import ElementTree

from ...checks import did_you_mean, quoted, shown
from ...errors import MissingPackageError, RobotError

MOST = 500  # characters of the words of another package
PACKAGE = "robot_descriptions"
ENDING = "_description"  # of the names of its modules
CLONES = re.compile(r"""clone_to_cache\(\s*["']([^"']+)["']""")  # how a module gets its repository


def path_of_module(module):
    """The path that a module of robot_descriptions names, and the arguments of a xacro file."""
    for name in ("URDF_PATH", "MJCF_PATH", "XACRO_PATH"):
        path = getattr(module, name, None)
        if isinstance(path, str | os.PathLike):
            arguments = getattr(module, "XACRO_ARGS", None) if name == "XACRO_PATH" else None
            return path, arguments
    raise RobotError(
        f"module {quoted(module.__name__)}: expected a module of robot_descriptions, with a "
        "URDF_PATH or an MJCF_PATH, found none of them"
    )


def module_called(name):
    """The module of robot_descriptions of that name, if its files are in the package's cache.

    To import it otherwise would download them.
    """
    if not _is_installed():
        raise RobotError(
            f"robot {quoted(name)}: that is the name of a module of {PACKAGE}, which is not "
            f"installed: pip install {PACKAGE}"
        )
    spec = importlib.util.find_spec(f"{PACKAGE}.{name}")
    if spec is None:
        raise RobotError(f"robot {quoted(name)}: {PACKAGE} has no such module{_meant(name)}")
    if not _is_cached(spec):
        raise RobotError(
            f"robot {quoted(name)}: its files are not in the cache of {PACKAGE}, and to load it by "
            f"name downloads nothing; import it, which does, and load the module: "
            f"from {PACKAGE} import {name}; px.load({name})"
        )
    try:
        return importlib.import_module(spec.name)
    except Exception as error:  # of git, of the network, of the module
        words = shown(" ".join(f"{type(error).__name__}: {error}".split()), MOST)
        raise RobotError(f"robot {quoted(name)}: {PACKAGE} cannot import it: {words}") from None


def _is_installed():
    try:
        return importlib.util.find_spec(PACKAGE) is not None
    except ValueError:  # None in sys.modules, which stands for a package that must not be imported
        return False


def _is_cached(spec):
    """Whether the repository that a module clones is there already."""
    try:
        repositories = importlib.import_module(f"{PACKAGE}._repositories").REPOSITORIES
        with open(spec.origin, encoding="utf-8") as file:
            path = repositories[CLONES.search(file.read())[1]].cache_path
    except (ImportError, OSError, AttributeError, KeyError, TypeError):  # another version of it
        return False
    commit = os.environ.get("ROBOT_DESCRIPTION_COMMIT")
    path = path if commit is None else os.path.join(f"{path}-{commit}", path)
    cache = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", f"~/.cache/{PACKAGE}")
    return os.path.isdir(os.path.join(os.path.expanduser(cache), path))


def _meant(name):
    """The name of a module that is nearly this one, for an error."""
    (folder,) = importlib.util.find_spec(PACKAGE).submodule_search_locations
    return did_you_mean(name, [file[:-3] for file in os.listdir(folder) if file.endswith(".py")])


def text_of_yourdfpy(urdf):
    """The URDF of a yourdfpy.URDF, as it writes it, and with the mimic joints, which it omits."""
    root = ElementTree.fromstring(urdf.write_xml_string())
    mimics = {joint.name: joint.mimic for joint in urdf.robot.joints if joint.mimic is not None}
    for joint in root.iter("joint"):
        mimic = mimics.get(joint.get("name"))
        if mimic is not None and joint.find("mimic") is None:
            offset = 0.0 if mimic.offset is None else mimic.offset
            factor = 1.0 if mimic.multiplier is None else mimic.multiplier
            words = {"joint": mimic.joint, "multiplier": str(factor), "offset": str(offset)}
            ElementTree.SubElement(joint, "mimic", words)
    return ElementTree.tostring(root, encoding="unicode")


def expanded(path, arguments=None):
    """The URDF that a xacro file becomes. Unlike URDF, xacro is code: it may read other files."""
    try:
        from xacrodoc import XacroDoc
    except ImportError:
        raise MissingPackageError(
            "a .xacro file needs xacrodoc: pip install xacrodoc; or expand it to URDF with xacro"
        ) from None
    if not os.path.isfile(path):
        raise RobotError("no such file; expected a xacro file")
    try:
        # packages of meshes need not be found: shapes keep what is written
        document = XacroDoc.from_file(os.fsdecode(path), subargs=arguments, resolve_packages=False)
        return document.to_urdf_string()
    except Exception as error:  # xacro evaluates expressions, and raises whatever these raise
        words = shown(" ".join(f"{type(error).__name__}: {error}".split()), MOST)
        raise RobotError(f"xacro cannot expand it: {words}") from None
