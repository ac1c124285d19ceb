"""The disk cache: found without tracing, never trusted blindly, never in the way."""

import gc
import importlib
import importlib.util
import os
import py_compile
import re
import shutil
import stat
import subprocess
import sys
import textwrap
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
from support.import_graph import import_graph, modules
from support.processes import SOURCE, environment

import paraxis as px
from paraxis import api
from paraxis.physics import CHEAP
from paraxis.targets import own_code
from paraxis.targets import store as cache
from paraxis.targets.cpu import host

STATE = np.linspace(-1, 1, 18).reshape(3, 6)
unix = pytest.mark.skipif(sys.platform == "win32", reason="permissions are Unix ones")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty place for the cache; nothing is there yet, not even the folder."""
    place = tmp_path / "deep" / "cache"
    monkeypatch.setenv("PARAXIS_CACHE", str(place))
    cache.forget()
    return place


@pytest.fixture
def compilations(monkeypatch):
    """A list that grows by one each time machine code is made."""
    made, compile_object = [], host.compile_object

    def counted(ir, *rest):
        made.append(ir)
        return compile_object(ir, *rest)

    monkeypatch.setattr(host, "compile_object", counted)
    return made


def torques(robot=None, **options):
    """Inverse dynamics of a robot that has never been compiled in this process."""
    return px.inverse_dynamics(robot or px.load("ur5"), *STATE, **options)


def tripled():
    """The smallest kernel, compiled or loaded, and run."""
    cache.forget()  # as another process would have it
    return float(px.trace(lambda x: x * 3.0, x=()).compile()(np.array(2.0)))


def only_file(folder):
    (path,) = files(folder)
    return path


def files(folder):
    return list(folder.glob("*.bin"))


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def started(text, place, path=SOURCE):
    """A process that runs the text; its cache is at this place."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text)],
        env=environment(PYTHONPATH=str(path), PARAXIS_CACHE=str(place)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process):
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output


# -- found again -------------------------------------------------------------------------------


def test_the_second_robot_is_loaded_without_tracing(monkeypatch, compilations):
    first = torques()
    assert len(compilations) == 1

    def never(*arguments, **keywords):
        raise AssertionError("the cache was there to be used")

    monkeypatch.setattr(api, "trace_graph", never)
    monkeypatch.setattr(host, "compile_object", never)
    assert torques().tobytes() == first.tobytes()


def test_the_second_process_is_served_from_disk(folder):
    """The other process can neither trace nor compile, and gives the same bits."""
    text = """
    import numpy as np, paraxis as px
    from paraxis import api
    from paraxis.targets.cpu import host

    api.trace_graph = host.compile_object = None
    state = np.linspace(-1, 1, 18).reshape(3, 6)
    print(px.inverse_dynamics(px.load("ur5"), *state).tobytes().hex())
    """
    own_code.code_digest.cache_clear()  # the source may have been edited since the tests began
    cache.forget()
    expected = torques()
    before = only_file(folder).read_bytes()
    assert finished(started(text, folder)).strip() == expected.tobytes().hex()
    assert only_file(folder).read_bytes() == before


def test_a_program_and_the_function_share_one_file(folder, compilations):
    expected = torques()
    assert px.program(px.load("ur5")).compile()(*STATE).tobytes() == expected.tobytes()
    assert len(compilations) == 1
    assert only_file(folder)


def test_traced_programs_are_found_by_their_text(folder, compilations):
    assert (tripled(), tripled()) == (6, 6)
    assert len(compilations) == 1
    assert px.trace(lambda x: x * 4.0, x=()).compile()(2.0) == 8
    assert len(compilations) == len(files(folder)) == 2


def test_what_is_remembered_of_a_kernel(compilations):
    def both(a, b):
        return {"sum": [a[0][0] + b, a[1][1] - b], "b": b}

    fresh, loaded = (px.trace(both, a=(2, 2), b=()).compile() for _ in range(2))
    assert len(compilations) == 1
    for k in (fresh, loaded):
        assert (k.name, k.inputs, k.outputs) == (
            "both",
            {"a": (2, 2), "b": ()},
            {"sum": (2,), "b": ()},
        )
        total, b = k(np.arange(4.0).reshape(2, 2), 10.0)
        assert (total.tolist(), b.tolist()) == ([10, -7], 10)
    assert (fresh.lanes, fresh.dtype, fresh.threads) == (loaded.lanes, loaded.dtype, loaded.threads)


def test_the_number_of_threads_is_not_part_of_the_code(compilations):
    program = px.program(px.load("ur5"))
    assert program.compile(threads=2).threads == 2
    assert program.compile(threads=1).threads == 1
    assert len(compilations) == 1


# -- what makes a key --------------------------------------------------------------------------


def test_robots_that_differ_in_names_only_share(folder, compilations):
    ur5 = px.load("ur5")
    joints = [
        px.robots.Joint(
            f"x{i}", j.kind, j.parent, j.placement, j.axis, rotor_inertia=j.rotor_inertia
        )
        for i, j in enumerate(ur5.joints)
    ]
    other = px.Robot("other", joints, ur5.inertias, [], ur5.gravity, ur5.base)
    assert torques(other).tobytes() == torques(ur5).tobytes()
    assert len(compilations) == 1
    assert only_file(folder)


@pytest.mark.long
def test_everything_else_gives_another_key(folder):
    ur5 = px.load("ur5")
    torques(ur5)
    different = [
        lambda: torques(ur5.with_gravity((0, 0, -9.8))),
        lambda: torques(ur5.with_payload(0.1)),
        lambda: torques(ur5.with_base(px.robots.Pose.from_rpy((0, 0, 1), (0.1, 0, 0)))),
        lambda: torques(px.load("puma560")),
        lambda: px.program(ur5).compile(dtype="float32"),
        lambda: px.program(ur5, parameters=("mass",)).compile(),
        lambda: px.program(ur5).with_marks(*_some_mark(ur5)).compile(),
        *(lambda name=name: torques(ur5, algorithm=name) for name in CHEAP),
    ]
    for count, make in enumerate(different, start=2):
        make()
        assert len(files(folder)) == count


def _some_mark(robot):
    return sorted({name for name, _ in px.program(robot).graph.marks})[:1]


def test_other_source_another_llvm_or_another_cpu_gives_another_key(compilations, monkeypatch):
    tripled()
    for change in (
        lambda: monkeypatch.setattr(cache, "code_digest", lambda _: "edited"),
        lambda: monkeypatch.setattr(host, "description", lambda: "another machine"),
    ):
        before = len(compilations)
        change()
        assert tripled() == 6
        assert len(compilations) == before + 1


# -- the code of the package, in whatever form it was installed ----------------------------------


def as_folder(files, place):
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return place


def as_bytecode(files, place):
    as_folder(files, place)
    for path in list(place.rglob("*.py")):
        py_compile.compile(path, path.with_suffix(".pyc"), doraise=True)
        path.unlink()
    return place


def as_archive(files, place):
    return Path(shutil.make_archive(place, "zip", as_folder(files, place)))


class OnlyCode:
    """How applications hold modules that were frozen into them: there are no files to read."""

    files = types.MappingProxyType({})

    def __init__(self, path):
        if not path.endswith("frozen"):
            raise ImportError
        self.path = path

    def iter_modules(self, prefix=""):
        start = prefix.replace(".", "/")
        for name in self.files:
            stem, _, rest = name.removeprefix(start).removesuffix(".py").partition("/")
            if name.startswith(start) and rest in ("", "__init__") and stem != "__init__":
                yield f"{prefix}{stem}", bool(rest)

    def find_spec(self, name, target=None):
        found = name.replace(".", "/")
        package = f"{found}/__init__.py" in self.files
        if not package and f"{found}.py" not in self.files:
            return None
        spec = importlib.util.spec_from_loader(name, self, origin=self.path, is_package=package)
        if package:
            spec.submodule_search_locations.append(self.path)
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        pass

    def get_code(self, name):
        found = name.replace(".", "/")
        file = f"{found}.py" if f"{found}.py" in self.files else f"{found}/__init__.py"
        return compile(self.files[file], file, "exec")


def as_code(files, place):
    OnlyCode.files = files
    return place.with_suffix(".frozen")


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """The digest of a package of these files, imported in this form."""
    monkeypatch.setattr(sys, "path_hooks", [OnlyCode, *sys.path_hooks])
    monkeypatch.setattr(own_code, "IMPORTED", sys.maxsize)  # these files are new
    count = iter(range(100))

    def digest(form, files):
        name = f"package{next(count)}"
        place = form({"package/" + key: text for key, text in files.items()}, tmp_path / name)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(place)
            patch.delitem(sys.modules, "package", raising=False)
            package, parts = importlib.import_module("package"), ("a", "b", "inside")
            return own_code.digest_of(package, parts, lambda states, make: make())

    yield digest
    for name in [name for name in sys.modules if name.split(".")[0] == "package"]:
        del sys.modules[name]


@pytest.mark.parametrize("form", (as_folder, as_bytecode, as_archive, as_code))
def test_the_code_is_part_of_the_key(digest, form):
    """The digest covers every module of the chosen parts, by content and by name."""
    files = {"__init__.py": "", "a.py": "x = {1, 2} - {'a', 'b'}", "inside/__init__.py": ""}
    found = [
        digest(form, files),
        digest(form, files | {"a.py": "x = {1, 2} - {'a', 'c'}"}),
        digest(form, {("b.py" if key == "a.py" else key): text for key, text in files.items()}),
        digest(form, files | {"inside/c.py": "def f():\n    return 3"}),
        digest(form, files | {"inside/c.py": "def f():\n    return 4"}),
    ]
    assert None not in found
    assert len(set(found)) == len(found)
    others = files | {"__init__.py": "version = 2", "page.py": "x = 1", "shown/d.py": "x = 1"}
    if form is not as_bytecode:  # which holds the path of its source
        assert digest(form, others) == found[0]


# What traces reach without changing what they compute.
HARMLESS = {"errors", "checks", "later", "compiling", "parallel", "drawing", "scene"}


def test_bodies_are_made_where_the_digest_looks():
    """A part that a trace reaches, and that is not in the digest, would leave stale code."""
    root = Path(px.__file__).parent
    known = import_graph(root)
    reached = {
        name
        for name, path in modules(root).items()
        if re.search(r"\bBody\(|targets\.operator import", path.read_text(encoding="utf-8"))
    }
    while more := {each for name in reached for each in known[name]} - reached:
        reached |= more
    parts = {name[0] for name in reached if name}
    assert parts <= {*own_code.MAKES_CODE} | HARMLESS


def test_sources_that_change_after_the_import_keep_nothing(digest, monkeypatch):
    """As an upgrade under a running process: what it compiles is of the code it imported."""
    files = {"__init__.py": "", "a.py": "x = 1"}
    assert digest(as_folder, files) is not None
    monkeypatch.setattr(own_code, "IMPORTED", 0)
    assert digest(as_folder, files) is None


def test_files_are_read_once(tmp_path, folder):
    """The digest of unchanged files is found; a changed one is read again."""
    source = tmp_path / "a.py"
    source.write_text("x = 1")
    read, found = [], {"a": (str(source), None)}

    def digest():
        return cache._digest_of_files(own_code._states(found), lambda: read.append(1) or "digest")

    assert (digest(), digest()) == ("digest", "digest")
    assert len(read) == 1
    source.write_text("x = 2")
    digest()
    assert len(read) == 2


def test_modules_that_came_from_elsewhere_have_no_digest(digest, monkeypatch):
    """Files that are there, but not what was imported: an old copy beside a frozen application."""
    files = {"__init__.py": "", "a.py": ""}
    assert digest(as_folder, files) is not None
    other = types.ModuleType("package.a")
    other.__spec__ = importlib.machinery.ModuleSpec("package.a", None, origin="frozen")
    monkeypatch.setitem(sys.modules, "package.a", other)
    assert digest(as_folder, files) is None
    monkeypatch.delitem(sys.modules, "package.a")
    monkeypatch.setitem(sys.modules, "package.b", other)  # of which there is no file at all
    assert digest(as_folder, files) is None


def test_code_that_cannot_be_read_is_not_kept(folder, compilations, monkeypatch):
    monkeypatch.setattr(cache, "code_digest", lambda _: None)
    assert (tripled(), tripled()) == (6, 6)
    assert len(compilations) == 2
    assert not folder.exists()


@pytest.mark.parametrize("form", ("folder", "archive"))
def test_another_version_without_source_does_not_load_this_ones_code(form, tmp_path, folder):
    """Installed as bytecode alone: two versions of which one adds where the other multiplies."""
    text = "import paraxis as px; print(px.trace(lambda x: x * 3.0, x=()).compile()(2.0))"
    root, place, target = SOURCE / "paraxis", tmp_path / "installed", tmp_path / "body.py"
    unused = {"cli", "control", "hardware", "drawing", "kinematics", "parallel", "simulation"}
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] in unused:  # for the sake of time
            continue
        bytecode = (place / "paraxis" / path.relative_to(root)).with_suffix(".pyc")
        bytecode.parent.mkdir(parents=True, exist_ok=True)
        compiled = importlib.util.cache_from_source(str(path))
        if os.path.exists(compiled):  # by the imports of these tests, or of an earlier run
            shutil.copy(compiled, bytecode)
        else:
            py_compile.compile(path, bytecode, doraise=True)
    found, kept = [], []
    for operation in ("fadd", "fmul"):
        part = Path("paraxis", "targets", "cpu", "text", "operations.py")
        source = (SOURCE / part).read_text()
        assert '"mul": _instruction("fmul")' in source
        target.write_text(
            source.replace('"mul": _instruction("fmul")', f'"mul": _instruction("{operation}")')
        )
        py_compile.compile(target, (place / part).with_suffix(".pyc"), doraise=True)
        where = shutil.make_archive(place, "zip", place) if form == "archive" else place
        found.append(float(finished(started(text, folder, where))))
        kept.append(len(files(folder)))
    assert found == [5.0, 6.0]
    assert kept == [1, 2]  # kept, each under a key of its own


# -- where -------------------------------------------------------------------------------------


def test_off(monkeypatch, compilations, tmp_path):
    monkeypatch.setenv("PARAXIS_CACHE", "off")
    monkeypatch.chdir(tmp_path)
    assert (tripled(), tripled()) == (6, 6)
    assert len(compilations) == 2
    assert list(tmp_path.iterdir()) == []


@unix
def test_the_usual_place(monkeypatch, tmp_path):
    monkeypatch.delenv("PARAXIS_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.directory() == tmp_path / "xdg" / "paraxis"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.directory() == tmp_path / "home" / ".cache" / "paraxis"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache.directory() == tmp_path / "home" / "Library" / "Caches" / "paraxis"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache.directory() == tmp_path / "local" / "paraxis"
    monkeypatch.delenv("LOCALAPPDATA")
    assert cache.directory() is None


@unix
def test_no_home(monkeypatch):
    """A home that is not known is no error: nothing is kept."""

    def unknown(path):
        return path  # as os.path.expanduser does then

    monkeypatch.setattr(os.path, "expanduser", unknown)
    for chosen in ("~/x", "~nobody/x", None):
        if chosen is None:
            monkeypatch.delenv("PARAXIS_CACHE")
            monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        else:
            monkeypatch.setenv("PARAXIS_CACHE", chosen)
        assert cache.directory() is None
        assert tripled() == 6


@unix
def test_only_the_owner_may_look(folder):
    previous = os.umask(0)
    try:
        tripled()
    finally:
        os.umask(previous)
    assert mode(folder) == 0o700
    assert mode(only_file(folder)) == 0o600
    assert re.fullmatch(r"[0-9a-f]{64}\.bin", only_file(folder).name)


# -- files that are not what was written -------------------------------------------------------


def corrupt_byte(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        corrupt_byte,
        lambda data: data[:-1] + bytes([data[-1] ^ 128]),
        lambda data: b"P" + data[1:],
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:60],
        lambda data: data[:20],
        lambda data: b"",
        lambda data: data + b"\0",
        lambda data: data + data,
        lambda data: b"\x7fELF" + data,
        lambda data: cache.MAGIC,
    ],
)
def test_a_damaged_file_is_ignored_and_written_anew(folder, compilations, damage):
    tripled()
    path = only_file(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert tripled() == 6
    assert len(compilations) == 2
    assert only_file(folder).read_bytes() == whole
    assert tripled() == 6
    assert len(compilations) == 2


def test_a_file_under_another_name_is_ignored(folder, compilations):
    """Each file knows its own key: one program's code cannot stand in for another's."""
    tripled()
    path = only_file(folder)
    px.trace(lambda x: x * 4.0, x=()).compile()
    (other,) = set(folder.iterdir()) - {path}
    path.write_bytes(other.read_bytes())
    assert tripled() == 6
    assert len(compilations) == 3
    assert path.read_bytes() != other.read_bytes()


@unix
@pytest.mark.parametrize("bits", (0o620, 0o602, 0o666, 0o777))
def test_a_file_others_may_write_is_not_loaded(folder, compilations, bits):
    tripled()
    path = only_file(folder)
    path.chmod(bits)
    assert tripled() == 6
    assert len(compilations) == 2
    assert mode(only_file(folder)) == 0o600  # replaced


@unix
@pytest.mark.parametrize("bits", (0o720, 0o702, 0o777, 0o1777))
def test_a_folder_others_may_write_is_not_used(folder, compilations, bits):
    """Neither read nor written: what is in it stays as it was."""
    tripled()
    path = only_file(folder)
    before = path.read_bytes()
    folder.chmod(bits)
    assert tripled() == 6
    assert px.trace(lambda x: x * 4.0, x=()).compile()(2.0) == 8
    assert len(compilations) == 3
    assert only_file(folder).read_bytes() == before
    folder.chmod(0o755)  # others may read
    assert tripled() == 6
    assert len(compilations) == 3


@unix
def test_a_link_to_a_file_is_not_followed(folder, compilations, tmp_path):
    tripled()
    path, aside = only_file(folder), tmp_path / "aside"
    path.rename(aside)
    path.symlink_to(aside)
    assert tripled() == 6
    assert len(compilations) == 2
    assert not path.is_symlink()


@unix
def test_a_link_to_a_folder_is_not_used(folder, compilations, tmp_path):
    tripled()
    folder.rename(tmp_path / "aside")
    folder.symlink_to(tmp_path / "aside")
    assert tripled() == 6
    assert len(compilations) == 2


@unix
@pytest.mark.parametrize("what", ("file", "folder"))
def test_what_belongs_to_somebody_else_is_not_loaded(folder, compilations, what, monkeypatch):
    """Really so where the tests run as root; otherwise we pretend to be somebody else."""
    tripled()
    path = only_file(folder)
    if os.geteuid() == 0:
        os.chown(path if what == "file" else folder, 65534, 65534)
    elif what == "file":
        pytest.skip("only root can give a file away")
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert tripled() == 6
    assert len(compilations) == 2


@unix
def test_a_folder_in_place_of_a_file(folder, compilations):
    tripled()
    path = only_file(folder)
    path.unlink()
    path.mkdir()
    assert tripled() == 6
    assert len(compilations) == 2
    assert [entry.name for entry in folder.iterdir()] == [path.name]  # nothing left lying about


@unix
def test_a_pipe_in_place_of_a_file(folder, compilations):
    """Opening a pipe waits for somebody to write; the cache must not."""
    tripled()
    path = only_file(folder)
    path.unlink()
    os.mkfifo(path)
    process = started(
        """
        import paraxis as px
        print(px.trace(lambda x: x * 3.0, x=()).compile()(2.0))
        """,
        folder,
    )
    try:
        output, errors = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail("waited for a pipe")
    assert float(output) == 6, errors


# -- where nothing can be kept -----------------------------------------------------------------


def test_a_file_in_place_of_the_folder(folder, compilations):
    folder.parent.mkdir()
    folder.write_text("in the way")
    assert (tripled(), tripled()) == (6, 6)
    assert len(compilations) == 2
    assert folder.read_text() == "in the way"


def test_a_file_in_place_of_the_folder_above(folder, compilations):
    folder.parent.write_text("in the way")
    assert (tripled(), tripled()) == (6, 6)
    assert len(compilations) == 2


@unix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_nobody_may_write(folder, compilations):
    folder.mkdir(parents=True)
    folder.chmod(0o500)
    assert (tripled(), tripled()) == (6, 6)
    assert len(compilations) == 2


@pytest.mark.parametrize(
    "broken", ("tempfile.mkstemp", "os.replace", "os.mkdir", "os.fdopen", "os.utime")
)
def test_a_disk_that_refuses(folder, broken, monkeypatch):
    """Whatever step fails, the answer is right and nothing half-written is left."""
    module, name = broken.split(".")
    if name == "utime":
        tripled()

    def refuse(*arguments, **keywords):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[module], name, refuse)
        assert tripled() == 6
    left = list(folder.iterdir()) if folder.exists() else []
    assert [path.suffix for path in left] == ([".bin"] if name == "utime" else [])


def test_a_disk_that_is_full_half_way(folder, monkeypatch):
    class Full:
        """A file that takes a few bytes and no more."""

        def __init__(self, handle, mode):
            self.file = open(handle, mode)  # noqa: SIM115

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            self.file.write(data[:10])
            raise OSError(28, "No space left on device")

        def __getattr__(self, name):
            return getattr(self.file, name)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", Full)
        assert tripled() == 6
    assert list(folder.iterdir()) == []


def test_a_path_that_cannot_be(monkeypatch):
    for place in ("x" * 5000, "/dev/null/cache"):
        monkeypatch.setenv("PARAXIS_CACHE", place)
        assert tripled() == 6


# -- many at once, and too much ----------------------------------------------------------------


def test_several_processes_compile_at_once(folder):
    """All start together, from nothing; each must get its own right answer."""
    text = """
    import sys, time
    import numpy as np, paraxis as px

    print("ready", flush=True)
    sys.stdin.readline()
    state = np.linspace(-1, 1, 18).reshape(3, 6)
    print(px.inverse_dynamics(px.load("ur5"), *state).tobytes().hex())
    """
    processes = [started(text, folder) for _ in range(3)]
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    found = {finished(process).strip() for process in processes}
    assert only_file(folder).suffix == ".bin"  # one file, and no temporary ones
    assert found == {torques().tobytes().hex()}


def store(name, size):
    cache.store(name * 64, {"name": name}, b"x" * size)


def names(folder):
    return sorted(path.name[0] for path in folder.iterdir())


def test_the_oldest_go_when_there_is_too_much(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 5000)
    for age, name in enumerate("abcd"):
        store(name, 1000)
        os.utime(folder / f"{name * 64}.bin", (1e9 + age, 1e9 + age))
    assert names(folder) == ["a", "b", "c", "d"]
    assert cache.load("a" * 64) == ({"name": "a"}, b"x" * 1000)  # now the youngest
    store("e", 1000)
    assert names(folder) == ["a", "c", "d", "e"]
    store("f", 2500)
    assert names(folder) == ["a", "e", "f"]
    assert cache.load("b" * 64) is None
    assert cache.load("f" * 64) == ({"name": "f"}, b"x" * 2500)


def test_not_every_file_that_is_written_is_a_reason_to_look_at_all(folder, monkeypatch):
    looks = []
    monkeypatch.setattr(cache, "_prune", looks.append)
    monkeypatch.setattr(cache, "MOST_BYTES", 1000 * cache.LOOKS)
    for name in "abc":
        store(name, 100)
    assert looks == [folder]  # what others left there
    store("d", 1000)
    assert looks == [folder] * 2


def test_one_file_too_large_for_the_cache_harms_nobody(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 100)
    assert (tripled(), tripled()) == (6, 6)


def test_pruning_touches_nothing_but_its_own(folder, monkeypatch):
    store("a", 10)
    for other in ("notes.txt", "b.bin.bak"):
        (folder / other).write_text("keep me")
    (folder / "sub").mkdir()
    monkeypatch.setattr(cache, "MOST_BYTES", 0)
    store("c", 10)
    assert sorted(path.name for path in folder.iterdir()) == ["b.bin.bak", "notes.txt", "sub"]


def test_pruning_goes_on_when_a_file_vanishes_while_it_looks(folder, monkeypatch):
    store("a", 10)
    (folder / f"{'b' * 64}.bin").symlink_to(folder / "gone")  # what cannot be looked at
    monkeypatch.setattr(cache, "MOST_BYTES", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store("c", 10)
        gc.collect()  # of a folder that was left open
    assert names(folder) == ["b"]


def test_pruning_while_another_process_prunes(folder, monkeypatch):
    """A file that vanishes between the look and the deed is no error."""
    for name in "abc":
        store(name, 1000)
    unlink = os.unlink

    def beaten(path, *rest, **options):
        unlink(path, *rest, **options)
        unlink(path, *rest, **options)

    monkeypatch.setattr(cache, "MOST_BYTES", 0)
    monkeypatch.setattr(os, "unlink", beaten)
    assert tripled() == 6
