"""The CUDA text of the `map` driver: as it is written, and as NVRTC takes it. Needs no GPU."""

import pytest
from support.swing import swing

import paraxis as px
from paraxis.drivers.device_map import APART, COLUMNS, ROWS
from paraxis.robot_functions import FUNCTIONS
from paraxis.targets.cuda.device import compile_text
from paraxis.targets.cuda.text.map import map_text

KERNEL = 'extern "C" __global__'  # what the text of a kernel begins with
GOLDEN = {
    ROWS: """\
extern "C" __global__ void __launch_bounds__(64, 16) swing_map(
    long long states,
    const double *__restrict__ q,
    const double *__restrict__ k,
    double *__restrict__ tau)
{
    const long long index = blockIdx.x * (long long)THREADS + threadIdx.x;
    const long long first = index - LANE;
    if (first >= states) return;
    const int count = states - first < LANES ? (int)(states - first) : LANES;
    const long long state = index < states ? index : states - 1;
    const int row = (int)(state - first);
    SHARED(memory);
    double *const tile = (double *)memory + threadIdx.x / LANES * LANES * 5;
    rows_in(tile + 0 * LANES, q + first * 2, count * 2, 2 * LANES);
    rows_in(tile + 2 * LANES, k + first * 1, count * 1, 1 * LANES);
    ARRIVED();
    const couple *const q_row = (const couple *)(tile + 0 * LANES + row * 2);
    const double *const k_row = (const double *)(tile + 2 * LANES + row * 1);
    double *const tau_made = tile + 3 * LANES + LANE * 2;
    double angle0 = q_row[0].y;
    if (!(fabs(angle0) < 131072.0)) {
        angle0 = within_a_turn(angle0);
    }
    const double poison0 = q_row[0].x - q_row[0].x;
    double v2, v5; sine_cosine(angle0, &v2, &v5);
    const double v1 = k_row[0];
    const double v4 = fma(v1, v2, 0.5);
    tau_made[0] = v4 + poison0;
    const double v7 = v5 * 9.81;
    const double v8 = -v7;
    tau_made[1] = v8 + poison0;
    TOGETHER();
    rows_out(tau + first * 2, tau_made - LANE * 2, count * 2, 2 * LANES);
}
""",
    COLUMNS: """\
extern "C" __global__ void __launch_bounds__(64, 16) swing_map(
    long long states,
    const double *__restrict__ q,
    long long q_entry,
    const double *__restrict__ k,
    long long k_entry,
    double *__restrict__ tau,
    long long tau_entry)
{
    const long long index = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (index >= states) return;
    const long long state = index;
    q += state;
    const double q_value0 = q[0 * q_entry];
    const double q_value1 = q[1 * q_entry];
    k += state;
    const double k_value0 = k[0 * k_entry];
    tau += state;
    double angle0 = q_value1;
    if (!(fabs(angle0) < 131072.0)) {
        angle0 = within_a_turn(angle0);
    }
    const double poison0 = q_value0 - q_value0;
    double v2, v5; sine_cosine(angle0, &v2, &v5);
    const double v1 = k_value0;
    const double v4 = fma(v1, v2, 0.5);
    *tau = v4 + poison0;
    const double v7 = v5 * 9.81;
    const double v8 = -v7;
    tau += tau_entry;
    *tau = v8 + poison0;
}
""",
    APART: """\
extern "C" __global__ void __launch_bounds__(64, 16) swing_map(
    long long states,
    long long inner,
    const double *__restrict__ q,
    long long q_entry,
    long long q_state,
    long long q_outer,
    const double *__restrict__ k,
    long long k_entry,
    long long k_state,
    long long k_outer,
    double *__restrict__ tau,
    long long tau_entry,
    long long tau_state,
    long long tau_outer)
{
    const long long index = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (index >= states) return;
    const long long state = index;
    const long long outer = state / inner, within = state - outer * inner;
    q += outer * q_outer + within * q_state;
    const double q_value0 = q[0 * q_entry];
    const double q_value1 = q[1 * q_entry];
    k += outer * k_outer + within * k_state;
    const double k_value0 = k[0 * k_entry];
    tau += outer * tau_outer + within * tau_state;
    double angle0 = q_value1;
    if (!(fabs(angle0) < 131072.0)) {
        angle0 = within_a_turn(angle0);
    }
    const double poison0 = q_value0 - q_value0;
    double v2, v5; sine_cosine(angle0, &v2, &v5);
    const double v1 = k_value0;
    const double v4 = fma(v1, v2, 0.5);
    *tau = v4 + poison0;
    const double v7 = v5 * 9.81;
    const double v8 = -v7;
    tau += tau_entry;
    *tau = v8 + poison0;
}
""",
}


@pytest.mark.parametrize("layout", GOLDEN)
def test_golden_text(layout):
    graph = px.trace(swing, q=2, k=()).graph
    text = map_text(graph, (layout,) * 3).text
    assert text[text.index(KERNEL) :] == GOLDEN[layout]


LONG_ROW = """\
    const int d_before = behind(d + (first + LANE) * 170 + 0);
    double *const d_made = tile + 0 * LANES + LANE * 42 + d_before;
    d_made[0] = v2;
    d_made[31] = v64;
    chunk_out(d + first * 170 + 0, d_made - d_before - LANE * 42, count, 170, 42, 32, 1, 0);
    carry(d_made - d_before, 32);
    d_made[0] = v66;
    d_made[31] = v128;
    chunk_out(d + first * 170 + 32, d_made - d_before - LANE * 42, count, 170, 42, 32, 0, 0);
    carry(d_made - d_before, 32);
"""
END_OF_LONG_ROW = """\
    d_made[0] = v322;
    d_made[9] = v340;
    chunk_out(d + first * 170 + 160, d_made - d_before - LANE * 42, count, 170, 42, 10, 0, 1);
}
"""


def test_golden_text_of_a_long_row():
    """Chunks are written in turn; what stands over is carried before others are collected."""
    graph = px.trace(lambda x: {"d": [x * (2.0 + k) for k in range(170)]}, x=()).graph
    text = map_text(graph, (COLUMNS, ROWS)).text
    lines = text[text.index("    const int d_before") :].splitlines(keepends=True)
    inner = tuple(f"d_made[{k}]" for k in range(1, 31) if k != 9)
    kept = [line for line in lines if not line.lstrip().startswith(("const double", *inner))]
    kept = "".join(line for line in kept if not line.endswith(("[9] = v20;\n", "[9] = v84;\n")))
    assert kept.startswith(LONG_ROW) and kept.endswith(END_OF_LONG_ROW)


def test_what_comes_before_a_kernel_depends_on_the_type_alone():
    def before(program, dtype):
        layouts = (ROWS,) * len((*program.inputs, *program.outputs))
        text = map_text(program.graph, layouts, dtype).text
        return text[: text.index(KERNEL)]

    small, large = px.trace(swing, q=2, k=()), px.program(px.load("ur5"))
    double, single = (before(small, dtype) for dtype in ("float64", "float32"))
    assert before(large, "float64") == double and before(large, "float32") == single
    assert "#include" not in double + single
    assert "double" in double and "double" not in single
    assert "void sine_cosine(float x, float *s, float *c)" in single


def test_float32_text_computes_in_float32():
    graph = px.trace(swing, q=2, k=()).graph
    for layout in (ROWS, COLUMNS, APART):
        text = map_text(graph, (layout,) * 3, "float32").text
        kernel = text[text.index(KERNEL) :]
        assert "double" not in kernel
        assert "fmaf(v1, v2, 0.5f)" in kernel and "9.81f" in kernel


# -- NVRTC ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nvrtc():
    pytest.importorskip("cupy")
    from cupy.cuda import nvrtc

    try:
        nvrtc.getVersion()
    except (RuntimeError, ImportError, OSError) as reason:
        pytest.skip(f"needs libnvrtc (pip install nvidia-cuda-nvrtc): {reason}")
    return nvrtc


def text_of(robot, function, dtype, layout):
    frame = robot.frames[-1].name if "frame" in FUNCTIONS[function].options else None
    graph = px.program(robot, function, frame=frame).graph
    layouts = (layout,) * len((*graph.inputs, *graph.outputs))
    return map_text(graph, layouts, dtype)


def check_code(text, architecture):
    """Every kernel is in the code, and PTX is for the machine that was asked for."""
    code = compile_text(text.text, architecture)
    names = [kernel.name for kernel in text.kernels]
    if architecture.startswith("sm_"):
        assert code[:4] == b"\x7fELF"
        assert all(name.encode() in code for name in names)
        return
    ptx = code.decode() if isinstance(code, bytes) else code
    assert f".target sm_{architecture.removeprefix('compute_')}" in ptx
    assert all(f".entry {name}(" in ptx for name in names)


@pytest.mark.parametrize(
    "function, dtype, layout, architecture",
    [
        ("inverse_dynamics", "float32", ROWS, "compute_80"),
        ("inverse_dynamics", "float64", APART, "compute_90"),
        ("mass_matrix", "float32", COLUMNS, "compute_90"),
        ("kinetic_energy", "float64", ROWS, "compute_80"),
        ("inverse_dynamics", "float64", COLUMNS, "sm_90"),
        ("forward_dynamics", "float32", ROWS, "sm_90"),
    ],
)
def test_nvrtc_takes_the_text(nvrtc, function, dtype, layout, architecture):
    check_code(text_of(px.load("ur5"), function, dtype, layout), architecture)


@pytest.mark.long
@pytest.mark.parametrize("function", px.functions())
@pytest.mark.parametrize("name", ("ur5", "stanford"))
def test_nvrtc_takes_every_function(nvrtc, name, function):
    """In both types and every layout, as PTX for two generations of GPUs."""
    robot = px.load(name)
    if "frame" in FUNCTIONS[function].options and not robot.frames:
        pytest.skip(f"{name} has no frames")
    for dtype, layout, architecture in (
        ("float32", ROWS, "compute_80"),
        ("float64", ROWS, "compute_90"),
        ("float32", COLUMNS, "compute_90"),
        ("float64", APART, "compute_80"),
    ):
        check_code(text_of(robot, function, dtype, layout), architecture)


def test_text_that_is_wrong_is_shown_with_nvrtcs_reason(nvrtc):
    with pytest.raises(RuntimeError, match=r"(?s)NVRTC: .*paraxis\.cu\(1\).*error"):
        compile_text("this is no CUDA", "compute_90")


def test_fast_math_is_only_used_where_it_is_asked_for(nvrtc):
    divide = px.trace(lambda x: px.math.sqrt(x[0]) / x[1], x=2).graph
    text = map_text(divide, (ROWS, COLUMNS), "float32").text
    exact, fast = (compile_text(text, "compute_90", fast_math=asked) for asked in (False, True))
    exact, fast = (ptx.decode() if isinstance(ptx, bytes) else ptx for ptx in (exact, fast))
    assert "div.rn.f32" in exact and "sqrt.rn.f32" in exact
    assert "div.full" in fast and "sqrt.approx" in fast and "sin.approx" not in fast
