"""The pages of the API: what Sphinx needs to know about public objects, and links to their pages.

Pages are made by sphinx.ext.autosummary from the lists in docs/api and the templates in
docs/_templates. `px.name` in any page, written as code, becomes a link to the page of that name.
"""

import re
from pathlib import Path
from types import ModuleType

from docutils import nodes
from sphinx import addnodes
from sphinx.ext.autosummary.generate import find_autosummary_in_files
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

import paraxis as px

# Classes with members to be shown: those that users call or read, or all that are documented.
MEMBERS = {
    "paraxis.Program": "inputs outputs count depth critical_path balanced width marks with_marks "
    "text evaluate jacobian gradient hessian vjp jvp compile compile_iterate compile_scan to_c "
    "to_cuda to_fortran to_python to_javascript to_wasm export export_iterate",
    "paraxis.Robot": "n nq nv joint_names frame_names tendon_names branching depth frame joint "
    "joint_index tool lower upper velocity_limit effort_limit with_gravity with_base "
    "with_floating_base with_payload with_tool with_attached without with_inertias with_drives "
    "without_friction without_springs with_loops without_loops locked subchain snapped to_urdf "
    "from_dh digest",
    "paraxis.Contact": "pinned welded sliding general",
    "paraxis.Simulator": "reset step run state",
    "paraxis.TaskGraph": "from_program from_stg to_stg edges work span heads tails critical_path "
    "layers width parallelism",
    "paraxis.chains.factors.ConstraintFactors": "all",
    "paraxis.control.ClosedLoop": "diverged",
    "paraxis.control.LinearFilter": "second_order_low_pass",
    "paraxis.control.SafePeriod": "spectral_radius bounds bounded margin rate",
    "paraxis.control.atlas.atlas.StabilityAtlas": "policies axes periods agreement prediction "
    "to_html",
    "paraxis.control.atlas.atlas.StabilityMap": "diverged held_up_to predicted agreement",
    "paraxis.control.speculation.Speculation": "carry start reads time_steps",
    "paraxis.control.tradeoff.best_cut.BestCut": "gain proved_gain",
    "paraxis.control.tradeoff.tradeoff.StaleDataTradeoff": "period stable rate_gain proved_gain "
    "slowest fastest most_accurate answer answers to_html",
    "paraxis.control.decoupled.scheme.Unsynchronised": "__call__",
    "paraxis.dynamics.equations.ClosedForm": "all",
    "paraxis.passes.count.Count": "flops",
    "paraxis.gym.pure.Functions": "all",
    "paraxis.gym.vector_env.VectorEnvironment": "reset step",
    "paraxis.hardware.Chip": "interval latency processors modules multipliers adders buffers "
    "inputs outputs format_of quantised run __call__ random_states sample errors error_bounds "
    "simulate export",
    "paraxis.hardware.Circuit": "of word inputs outputs format_of pipeline stages iterations run "
    "stream quantised __call__ errors sample export",
    "paraxis.hardware.Cordic": "rotate vector bound table number angle",
    "paraxis.hardware.circuits.accuracy.Accuracy": "worst worst_rounding median share",
    "paraxis.hardware.circuits.accuracy.ReachablePoses": "accuracy",
    "paraxis.kinematics.puma_solutions.Solutions": "nearest",
    "paraxis.optimal.ClosedLoop": "q qd",
    "paraxis.optimal.MPC": "tick feedback prepare run refused restarts timing xs us gains cost",
    "paraxis.optimal.Sampling": "tick run refused timing us cost",
    "paraxis.optimal.Solution": "solved q qd to_html as_scene",
    "paraxis.optimal.Solver": "parameters solve gradient mpc sampling export",
    "paraxis.optimal.Status": "all",
    "paraxis.parallel.Network": "processors links diameter route deliver",
    "paraxis.parallel.Pipeline": "latency interval processors buffers start processor delays "
    "simulate evaluate to_dict to_json to_html",
    "paraxis.parallel.Recurrence": "results steps operations bound record messages on",
    "paraxis.parallel.Schedule": "start processor makespan bound tight optimal gap speedup "
    "efficiency computing rows to_dict to_json to_html compile to_c export",
    "paraxis.parallel.networks.p_fold_machine.PFoldStep": "value done messages",
    "paraxis.parallel.networks.p_fold_plan.PFoldPlan": "all",
    "paraxis.parallel.schedules.speedup_curve.SpeedupCurve": "all",
    "paraxis.parallel.systolic.array.SystolicArray": "all",
    "paraxis.parallel.two_arrays.plan.TwoArrayPlan": "all",
    "paraxis.robots.Convention": "all",
    "paraxis.robots.Inertia": "of matrix seen_from implausible is_massless",
    "paraxis.robots.Joint": "nq nv is_revolute reflected_inertia",
    "paraxis.robots.Loop": "connect weld hinge constraints",
    "paraxis.robots.Pose": "of from_matrix from_rpy matrix rpy inverse",
    "paraxis.scene.scene.Scene": "to_html open html",
    "paraxis.simulation.DifferentiableRun": "gradient",
    "paraxis.simulation.Run": "to_html as_scene",
    "paraxis.simulation.State": "copy",
    "paraxis.sweeps.Space": "shape count",
    "paraxis.sweeps.Status": "failed pending complete",
    "paraxis.sweeps.Sweep": "store status open to_html",
    "paraxis.trajectories.Trajectory": "duration sample stretched scaled fastest __call__",
}
DEFAULTS = (px.robots.Pose, px.robots.Inertia, px.robots.Friction, px.robots.Transmission)


def public_names() -> list[str]:
    """paraxis.name and paraxis.namespace.name."""
    spaces = [name for name in dir(px) if isinstance(getattr(px, name), ModuleType)]
    inner = [f"paraxis.{space}.{name}" for space in spaces for name in dir(getattr(px, space))]
    return [*(f"paraxis.{name}" for name in px.__all__), *inner]


class Titles(dict):
    """Full name -> title of the page: what users write, or for a class of results its own name."""

    def __missing__(self, name: str) -> str:
        return name if name.count(".") < 3 else name.rpartition(".")[2]


class Members(dict):
    def __missing__(self, name: str) -> str:
        return ""


def short(name: str) -> str:
    return name.replace("paraxis.", "px.", 1)


def forget(app):
    """Pages made earlier of names that are no longer listed are removed."""
    folder = Path(app.srcdir) / "api"
    listed = {entry.name for entry in find_autosummary_in_files(map(str, folder.glob("*.md")))}
    for page in (folder / "names").glob("*.rst"):
        if page.stem not in listed:
            page.unlink()


def readable(app, what, name, obj, options, signature, returns):
    """Aliases by their names, and defaults such as Pose() as they are written."""
    for kind in DEFAULTS:
        signature = signature and signature.replace(repr(kind()), f"{kind.__name__}()")
    alias = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
    signature, returns = (text and alias.sub(r"\1", text) for text in (signature, returns))
    return signature, returns


class Links(SphinxPostTransform):
    """Code such as `px.load("ur5")` or `Robot.n` links to the page of what it names."""

    default_priority = 5

    def run(self, **_):
        spaces = {name.rpartition(".")[0] for name in public_names()}
        for prefix in self.document.findall(addnodes.desc_addname):
            if prefix.astext().rstrip(".") in spaces:
                prefix[:] = [nodes.Text(short(prefix.astext()))]
        objects = self.env.domains.python_domain.objects
        here, builder = self.env.docname, self.app.builder
        for code in list(self.document.findall(nodes.literal)):
            name = re.fullmatch(r"(?:px\.|(?=[A-Z]\w+\.))([\w.]*\w)(\(.*\))?", code.astext(), re.S)
            found = name and objects.get(f"paraxis.{name[1]}")
            plain = not isinstance(code.parent, nodes.reference | nodes.title)
            if found and found.docname != here and plain:
                shown = code.deepcopy()
                code.replace_self(make_refnode(builder, here, found.docname, found.node_id, shown))


def setup(app):
    app.config.autosummary_context = {
        "titles": Titles({name: short(name) for name in public_names()}),
        "shown": Members({name: ", ".join(value.split()) for name, value in MEMBERS.items()}),
    }
    app.connect("builder-inited", forget, priority=400)  # before autosummary makes pages
    app.connect("autodoc-process-signature", readable)
    app.add_post_transform(Links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
