"""The kernel of the `lanes` driver: a warp for each state, a lane for each joint of it.

For batches that leave a GPU empty, and for graphs too long for its cache of instructions: the steps
of a Plan (drivers/lanes.py) are short, and each serves all joints.
"""

from ....drivers.device_map import COLUMNS, ROWS
from ....graph.graph import size
from ...source.text import Names
from .body import called_in_text
from .lane_steps import LANES, LaneSteps, places
from .map import OWN, Kernel, MapText
from .prologue import prologue

WARPS = 4  # of a block


def lanes_text(plan, layouts, dtype):
    """The text; `layouts` are those of the arrays, inputs first."""
    return _Lanes(plan, layouts, dtype).text()


def shared_bytes(plan, dtype):
    """Of a block."""
    return _Lanes(plan, (), dtype).shared


class _Lanes:
    def __init__(self, plan, layouts, dtype):
        self.plan, self.layouts, self.dtype = plan, layouts, dtype
        self.starts, room = places(plan)
        self.steps = LaneSteps(plan, dtype, self.starts, {})
        self.real, self.language = self.steps.real, self.steps.language
        self.name = Names(self.language).new(f"{plan.name}_lanes")
        self.room = -(-room // self.steps.per) * self.steps.per
        self.numbers = len(self.steps.numbers)
        self.shared = self.steps.shared(WARPS * self.room)

    def text(self):
        real, plan, name = self.real, self.plan, self.name
        arrays = (*plan.inputs, *plan.outputs)
        names = Names(self.language, name)
        called = called_in_text(
            [*plan.inputs, *(f"{key}_out" if key in plan.inputs else key for key in plan.outputs)],
            names,
            OWN,
        )
        called = (
            dict(zip(arrays[: len(plan.inputs)], list(called.values()), strict=False)),
            dict(zip(plan.outputs, list(called.values())[len(plan.inputs) :], strict=True)),
        )
        given, made = called
        layouts = dict(zip([*given.values(), *made.values()], self.layouts, strict=True))
        apart = any(layout not in (ROWS, COLUMNS) for layout in layouts.values())
        parameters = ["long long states", *(["long long inner"] if apart else [])]
        parameters += [
            text
            for key in given.values()
            for text in _parameters(key, layouts[key], f"const {real}")
        ]
        parameters += [
            text for key in made.values() for text in _parameters(key, layouts[key], real)
        ]
        bring, back, back_together = [], [], []
        for key, shape in plan.inputs.items():
            at = _address(given[key], layouts[given[key]], size(shape))
            head = f"for (int k = LANE; k < {size(shape)}; k += LANES)"
            bring.append(f"{head} COPY_ITEM(own + {self.starts[key]} + k, &{at});")
        for key, (shape, field, first) in plan.outputs.items():
            at, start = made[key], self.starts[field] + first
            if layouts[at] == COLUMNS:
                back_together += self._states_side_by_side(at, size(shape), start)
                continue
            address = _address(at, layouts[at], size(shape))
            back.append("#pragma unroll 8")
            head = f"for (int k = LANE; k < {size(shape)}; k += LANES)"
            back.append(f"{head} {address} = own[{start} + k];")
        body = [
            "SHARED(memory);",
            f"{real} *const numbers = ({real} *)memory;",
            f"{real} *const own = numbers + {self.numbers} + threadIdx.x / LANES * {self.room};",
            f"short *const table = (short *)(numbers + {self.numbers + WARPS * self.room});",
            f"long long state = blockIdx.x * {WARPS}LL + threadIdx.x / LANES;",
            "const bool is_own = state < states;",
            "if (!is_own) state = states - 1;",
            *bring,
            *self.steps.copied(name, WARPS * LANES),
            "ARRIVED();",
            "ALL_TOGETHER();",
            *(["if (is_own) {"] if back_together else ["if (!is_own) return;"]),
            *self.steps.lines,
            *back,
            *(["}", "ALL_TOGETHER();"] if back_together else []),
            *back_together,
        ]
        heads = ",\n    ".join(parameters)
        code = "\n".join(f"    {line}" for line in body)
        text = f"""{prologue(self.dtype)}
{self.steps.definitions(name)}
extern "C" __global__ void __launch_bounds__({WARPS * LANES}) {name}(
    {heads})
{{
{code}
}}
"""
        kernel = Kernel(name, WARPS * LANES, self.shared, WARPS)
        return MapText(text, (kernel,), "usual")

    def _states_side_by_side(self, name, entries, start):
        """Lines by which all warps of a block write columns: an entry of each of their states."""
        states = f"states - blockIdx.x * {WARPS}LL"
        own = f"numbers[{self.numbers} + k % {WARPS} * {self.room} + {start} + k / {WARPS}]"
        at = f"{name}[blockIdx.x * {WARPS}LL + k % {WARPS} + k / {WARPS} * {name}_entry]"
        return [
            "#pragma unroll 8",
            f"for (int k = threadIdx.x; k < {entries * WARPS}; k += {WARPS * LANES})",
            f"    if (k % {WARPS} < {states}) {at} = {own};",
        ]


DISTANCES = {ROWS: (), COLUMNS: ("entry",)}  # and otherwise
APART = "entry", "state", "outer"


def _parameters(name, layout, real):
    distances = DISTANCES.get(layout, APART)
    return [f"{real} *__restrict__ {name}", *(f"long long {name}_{each}" for each in distances)]


def _address(name, layout, entries):
    """Where entry k of the state is."""
    if layout == ROWS:
        return f"{name}[state * {entries} + k]"
    if layout == COLUMNS:
        return f"{name}[state + k * {name}_entry]"
    outer, within = "state / inner", "state % inner"
    return f"{name}[{outer} * {name}_outer + {within} * {name}_state + k * {name}_entry]"
