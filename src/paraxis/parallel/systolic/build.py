"""The public `systolic_array`: a form and a machine chosen by name.

The parts of an array are imported when one is created, so that `import paraxis` stays fast.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...checks import one_of
from ...errors import ArgumentError
from ...robots.branching import require_chain
from ...robots.model import Model
from ...robots.refusals import single_joints, unsprung
from ...robots.robot import Robot

if TYPE_CHECKING:
    from .array import SystolicArray

FORMS = ("linear", "logarithmic", "lagrangian")
MACHINES = ("systolic", "single_device")
SECONDS = 5  # of the search for fewer buffers


def systolic_array(
    robot: Robot, form: str = "linear", machine: str = "systolic", fewest_buffers: bool = False
) -> SystolicArray:
    """Return Lathrop's array of matrix-vector processors for inverse dynamics of a chain (1985).

    **Arguments:**

    - `robot`: a `px.Robot` that is a chain.
    - `form`: in the `"linear"` form motion goes outward from link to link, and force inward; in the
      `"logarithmic"` form spans of links are combined into longer ones. `"lagrangian"` is also
      linear, but uses Lagrange's equations: the same interval with about twice the hardware.
    - `machine`: a `"systolic"` machine has hardware for every node and accepts a state every 4
      flops. A `"single_device"` has hardware for one node outward and one inward (in the
      logarithmic form for one tier of nodes), which computes all nodes in turn, and accepts a state
      when the previous one is done.
    - `fewest_buffers`: whether to time the operations of a systolic machine for the fewest words in
      buffers, as far as a search of a few seconds finds (requires `pip install 'paraxis[opt]'`).

    **Returns:** an array with `latency`, `interval`, `processors`, `wires`, `buffers` and `run`;
    times are in flops, buffers in words. See docs/concepts/systolic.md.

    **Raises:** `px.ArgumentError` if the robot is a tree, or `form` or `machine` is unknown.

    **Example:**

    >>> array = px.parallel.systolic_array(px.load("puma560"))
    >>> array.interval, array.latency, array.processors  # flops, flops
    (4, 62, 191)
    """
    for name, value, known in (("form", form, FORMS), ("machine", machine, MACHINES)):
        one_of(value, known, name)
    systolic = machine == "systolic"
    if fewest_buffers and not systolic:
        raise ArgumentError(f"fewest_buffers needs machine='systolic', found {machine!r}")
    what = "a systolic array"
    model = Model(unsprung(single_joints(robot, what), what))
    require_chain(model, "systolic_array")

    from .array import SystolicArray
    from .lagrangian import lagrangian
    from .linear import linear
    from .links import Links
    from .logarithmic import logarithmic
    from .operators import MV, VA
    from .timing import early, eased

    links = Links(model)
    forms = {"linear": linear, "logarithmic": logarithmic, "lagrangian": lagrangian}
    wiring = forms[form](links).needed
    processor = {
        each: (each.site.node if systolic else each.site.device, each.site.part, each.slot)
        for each in wiring.operations
    }
    starts = eased(wiring, processor, early(wiring, processor))
    whole = max(starts[each] + each.operator.flops for each in wiring.outputs)
    beat = MV.flops + VA.flops  # the time of a propagated quantity from node to node
    interval = beat if systolic else whole
    array = SystolicArray(form, machine, links, wiring, starts, processor, interval)
    if fewest_buffers:
        from .fewest_buffers import fewest_buffers as find_fewest_buffers

        starts, least = find_fewest_buffers(array, SECONDS)
        array = replace(array, least_buffers=least)
        array = min(array, replace(array, starts=starts), key=lambda each: each.buffers)
    return array
