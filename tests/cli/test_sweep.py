"""`paraxis sweep` and `paraxis dataset`: studies from files, which are untrusted."""

from pathlib import Path

import numpy as np
import pytest

import paraxis as px
from paraxis.cli.main import main
from paraxis.cli.study import read_study

pytest.importorskip("zarr")
xr = pytest.importorskip("xarray")

CLOSED = """
robot: planar3
function: closed_loop
space:
  period: {from: 0.002, to: 0.1, count: 6, spacing: log}
  policy: [exact, hamilton]
options: {duration: 0.2, jitter: 0.1}
units: {period: s, error: rad}
"""
SAMPLED = """
robot: planar3
function: inverse_dynamics
space: {sample: 20, method: sobol, seed: 3, q: limits, qd: [-1, 1], qdd: [-2, 2], mass: [1, 2]}
block: 8
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def file(text, name="study.yaml"):
        (tmp_path / name).write_text(text)
        return name

    return file


def test_a_study_of_closed_loops(here, capsys):
    assert main(["sweep", here(CLOSED), "-o", "study.zarr"]) == 0
    assert "1 of 1" not in capsys.readouterr().out
    data = xr.open_zarr("study.zarr", chunks=None)
    assert data.error.dims == ("period", "policy") and data.error.attrs == {"units": "rad"}
    robot = px.load("planar3")
    from paraxis.control.atlas.motion import swaying

    controller = px.control.computed_torque(robot, 100.0, 20.0, "hamilton")
    index = np.arange(12).reshape(6, 2)[:, 1]
    expected = px.control.closed_loop(
        robot, controller, swaying(robot), data.period.values, duration=0.2, jitter=0.1, index=index
    )
    np.testing.assert_allclose(data.error.values[:, 1], expected.error, rtol=1e-6)
    assert main(["sweep", "status", "study.zarr"]) == 0
    assert "2 of 2 blocks done" in capsys.readouterr().out
    assert main(["sweep", "page", "study.zarr", "-o", "page.html"]) == 0
    assert "closed_loop" in Path("page.html").read_text(encoding="utf-8")


def test_a_study_of_sampled_states(here):
    assert main(["sweep", here(SAMPLED), "-o", "study.zarr"]) == 0
    data = xr.open_zarr("study.zarr", chunks=None)
    assert data.q.shape == (20, 3) and data.blocks.shape == (3,)
    given = {name: data[name].values for name in ("q", "qd", "qdd", "mass")}
    tau = px.inverse_dynamics(px.load("planar3"), **given)
    assert data.tau.values.tobytes() == tau.tobytes()
    assert abs(given["qdd"]).max() <= 2 and given["mass"].min() >= 1


@pytest.mark.parametrize(
    ("function", "space", "results"),
    [
        ("safe_period", "{kp: [50, 100], policy: [exact, hamilton]}", {"period", "unstable"}),
        ("inverse_kinematics", "{x: [0.5, 9], y: [0], z: [0.1]}", {"q", "solved", "error"}),
        ("simulate", "{sample: 3, q0: limits, mass_scale: [1, 2]}", {"q", "qd", "failed_at"}),
        (
            "schedule",
            "{processors: [1, 2], method: [list, heft]}",
            {"makespan", "speedup", "bound"},
        ),
    ],
)
def test_other_functions(here, function, space, results):
    options = "{steps: 5}" if function == "simulate" else "{}"
    text = f"robot: planar3\nfunction: {function}\nspace: {space}\noptions: {options}\n"
    assert main(["sweep", here(text), "-o", "study.zarr"]) == 0
    data = xr.open_zarr("study.zarr", chunks=None)
    assert results <= {*data.data_vars}
    if function == "safe_period":
        assert (data.period.values > 0).all()
    if function == "inverse_kinematics":
        assert data.solved.values.ravel().tolist() == [True, False]
    if function == "schedule":
        assert (data.makespan.values[0] > data.makespan.values[1]).all()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("planar3", "!!python/object x", r"tags \(!\) are not allowed"),
        ("planar3", "&a planar3", "anchors"),
        ("planar3", "plana3", "did you mean"),
        ("closed_loop", "closed_lop", "did you mean 'closed_loop'"),
        ("jitter", "jiter", "did you mean 'jitter'"),
        ("jitter: 0.1", "jitter: x", "jitter: expected a number, found 'x'"),
        ("jitter: 0.1", "period: 0.1", "variable of the space, and an option as well"),
        ("count: 6", "count: 1e9", "at most 1,000,000 values"),
        ("count: 6", "count: 2.5", "count: expected an integer"),
        ("from: 0.002", "from: -1", "must be above zero"),
        ("spacing: log", "spacing: lg", "spacing: expected one of"),
        ("options:", "option:", "did you mean 'options'"),
        ("[exact, hamilton]", "[exact, 2]", "policy: expected numbers or words"),
        ("robot: planar3\n", "", "expected the key 'robot'"),
        ("units: {period: s, error: rad}", "units: {period: 1}", "expected a word for period"),
        ("space:", "space: 3\nx:", "expected one of"),
    ],
)
def test_mistakes_in_files_are_named(here, before, after, message):
    text = CLOSED.replace(before, after)
    assert text != CLOSED
    with pytest.raises(px.ArgumentError, match=f"'study.yaml': .*{message}"):
        read_study(here(text))


def test_mistakes_of_the_command(here, capsys):
    study = here(CLOSED)
    for words, message in (
        (["sweep", study], "-o: name the store"),
        (["sweep", study, "x", "-o", "y"], "expected one study"),
        (["sweep", "status", "nothing"], "there is no study"),
        (["sweep", "nothing.yaml", "-o", "y"], "no such file"),
        (["sweep", study, "-o", "y", "--workers", "0"], "from 1 to"),
        (["dataset", "ur5", "--store", "y", "--states", "0"], "from 1 to"),
        (["dataset", "ur5", "--store", "y", "--function", "mass"], "did you mean"),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err
    assert main(["sweep", study, "--estimate"]) == 0
    assert "12 states in" in capsys.readouterr().out


def test_failed_blocks_are_the_exit_code(here, capsys):
    text = CLOSED.replace("[exact, hamilton]", "[exact, nonsense]")
    assert main(["sweep", here(text), "-o", "study.zarr"]) == 1
    out = capsys.readouterr().out
    assert "1 failed" in out and "nonsense" in out and "--retry-failed" in out


def test_a_data_set(here, capsys):
    pytest.importorskip("pyarrow")
    words = ["dataset", "planar3", "--floating-base", "--states", "30"]
    words += ["--function", "bias_forces"]
    assert main([*words, "--store", "s.zarr", "--parquet", "s"]) == 0
    data = xr.open_zarr("s.zarr", chunks=None)
    robot = px.load("planar3").with_floating_base()
    q, qd = data.q.values, data.qd.values
    assert np.allclose(np.linalg.norm(q[:, 3:7], axis=-1), 1)
    assert data.h.values.tobytes() == px.bias_forces(robot, q, qd).tobytes()
    assert "wrote 2 files in s" in capsys.readouterr().out


def test_a_data_set_about_a_frame(here, capsys):
    words = ["dataset", "planar3", "--states", "10", "--function", "jacobian", "--store", "s.zarr"]
    assert main([*words, "--frame", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
    robot = px.load("planar3")
    frame = robot.frame_names[1]
    assert main([*words, "--frame", frame]) == 0
    data = xr.open_zarr("s.zarr", chunks=None)
    assert data.J.values.tobytes() == px.jacobian(robot, data.q.values, frame=frame).tobytes()
    words[words.index("jacobian")] = "mass_matrix"
    assert main([*words, "--frame", frame]) == 2
    assert "mass_matrix is not about a frame" in capsys.readouterr().err


def test_a_study_about_a_frame(here, capsys):
    frame = px.load("planar3").frame_names[1]
    space = "space: {sample: 5, q: limits}"
    text = f"robot: planar3\nfunction: forward_kinematics\n{space}\noptions: {{frame: {frame}}}\n"
    assert main(["sweep", here(text), "-o", "s.zarr"]) == 0
    data = xr.open_zarr("s.zarr", chunks=None)
    expected = px.forward_kinematics(px.load("planar3"), data.q.values, frame=frame)
    assert data.pose.values.tobytes() == expected.tobytes()
    assert main(["sweep", here(text.replace("{frame:", "{frames:")), "-o", "s.zarr"]) == 2
    assert "did you mean 'frame'" in capsys.readouterr().err


def test_a_folder_that_parquet_cannot_have_is_refused_first(here, capsys):
    pytest.importorskip("pyarrow")
    Path("full").mkdir()
    Path("full/thesis.tex").write_text("x")
    words = ["dataset", "planar3", "--states", "10", "--store", "s.zarr", "--parquet"]
    for folder, message in (("full", "other files"), ("full/thesis.tex/x", "thesis.tex")):
        assert main([*words, folder]) == 2
        assert message in capsys.readouterr().err
    assert not Path("s.zarr").exists()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("seed: 3", "seed: 1.5", "seed: expected an integer"),
        ("seed: 3", "seed: 9007199254740993", "below 2**53"),
        ("sample: 20", "sample: 1e30", "sample: expected an integer"),
        ("mass: [1, 2]", "mass: [-1e308, 1e308]", "less than 1e308 apart"),
    ],
)
def test_numbers_of_files_that_would_change_are_refused(here, capsys, before, after, message):
    assert main(["sweep", here(SAMPLED.replace(before, after)), "-o", "s.zarr"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ("function: closed_loop\nspace: {period: [.nan]}", "period: expected numbers"),
        ("function: closed_loop\nspace: {period: 1}\noptions: {kp: [1]}", "expected one value"),
        ("function: closed_loop\nspace: {period: 0.1, mass_scale: -1}", "mass_scale: expected"),
        ("function: schedule\nspace: {processors: 1.5}", "processors: expected integers"),
        ("function: gravity_torques\nspace: {q: [word]}", "q: expected numbers, found 'word'"),
    ],
)
def test_values_that_a_function_cannot_take_are_named(here, capsys, study, message):
    assert main(["sweep", here(f"robot: planar3\n{study}\n"), "-o", "s.zarr"]) == 2
    assert message in capsys.readouterr().err


def test_a_seed_that_no_generator_takes_is_refused(here, capsys):
    assert main(["dataset", "ur5", "--seed", str(2**128), "--store", "s.zarr"]) == 2
    assert "seed: expected" in capsys.readouterr().err
