"""Which method solves contact problems of legged robots with the fewest flops.

    python benchmarks/contact_methods.py

Records contact problems from a Go2 (4 points) and a G1 (8 points) that tread on the spot while they
are pushed, and solves each by several methods, from zero and from the impulses of the step before.
Printed: the median and 90 % quantile of iterations, and median iterations times flops per
iteration, until the natural residual is below 1e-3 and 1e-6 m/s. Plain NumPy; nothing is timed.
Jacobi, gradient and ADMM are given what Gauss-Seidel has by itself, a scale for each contact. ADMM
also begins with the dual that belongs to its impulses. Its penalty, and the scale of the explicit
method, are swept, and the value that is best on these very problems is reported: that favours them.
"""

import dataclasses

import numpy as np

import paraxis as px
from paraxis.body import Body
from paraxis.drivers.iterate import Plan
from paraxis.drivers.row import Row, Stage
from paraxis.graph.trace import trace
from paraxis.simulation import ContactPoint, Ground
from paraxis.simulation.ground.stages import after_prepare
from paraxis.simulation.ground.step import CARRIED, GroundStep
from paraxis.targets.target import CPU

DT, ROBOTS, STEPS, MOST = 2e-3, 24, 400, 300


# -- problems ----------------------------------------------------------------------------------


def go2():
    feet = [ContactPoint(f"{leg}_foot", radius=0.022) for leg in ("FL", "FR", "RL", "RR")]
    robot = px.load("go2", floating_base=True)
    stance = np.tile([0.0, 0.8, -1.5], 4)
    swing = np.array([0, 0.25, -0.5] * 4) * np.repeat([1, -1, -1, 1], 3)
    return robot, feet, stance, swing, 60.0, 2.0, 0.33


def g1():
    corners = [
        (x, y, -0.03) for x, y in ((-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03))
    ]
    sides = ("left", "right")
    feet = [ContactPoint(f"{side}_ankle_roll_link", c, 0.005) for side in sides for c in corners]
    robot = px.load("g1", floating_base=True)
    joints = [
        j if j.kind == "free" else dataclasses.replace(j, rotor_inertia=0.02) for j in robot.joints
    ]
    robot = dataclasses.replace(robot, joints=joints, warn=False)
    stance, swing = np.zeros(29), np.zeros(29)
    stance[[0, 6]], stance[[3, 9]], stance[[4, 10]] = -0.2, 0.42, -0.23
    swing[[0, 3, 4]], swing[[6, 9, 10]] = (-0.1, 0.2, -0.1), (0.1, -0.2, 0.1)
    return robot, feet, stance, swing, 400.0, 6.0, 0.79


def prepare_graph(step):
    n = step.robot.nv
    shapes = {k: v for k, v in step.inputs.items() if k != "tau"} | {
        "goal": (n - 6,),
        "gains": (2,),
    }

    def run(q, qd, goal, gains, **rest):
        pairs = zip(goal, q[7:], qd[6:], strict=True)
        tau = [0.0] * 6 + [gains[0] * (g - x) - gains[1] * v for g, x, v in pairs]
        return step.prepare(q=q, qd=qd, tau=tau, **rest)

    return trace(run, shapes, "prepare")


def problems(robot, feet, stance, swing, kp, kd, height):
    """(A, b, target, friction, impulses before) of steps in which something touches."""
    step = GroundStep(robot, Ground(feet, friction=0.7, sweeps=200, tolerance=1e-7))
    prepare = Body(prepare_graph, step)
    row = Row([Stage(prepare), *after_prepare(step)], "tread")
    plan = Plan(
        row.inputs, row.outputs, CARRIED, per_step=("goal",), record=("q", "qd", "impulses")
    )
    rng = np.random.default_rng(0)
    q = np.tile(np.concatenate([[0, 0, height, 0, 0, 0, 1], stance]), (ROBOTS, 1))
    qd = 0.3 * rng.standard_normal((ROBOTS, robot.nv))
    phase = np.sin(np.arange(STEPS) * DT * 2 * np.pi * 2)[:, None, None]
    goal = stance + phase * swing * rng.uniform(0.5, 1.5, (ROBOTS, 1))
    count = len(step.contacts)
    given = {"friction": np.array(step.frictions), "restitution": 0.0, "gains": np.array([kp, kd])}
    given |= {"dt": DT}
    start = {"q": q, "qd": qd, "goal": goal, "impulses": np.zeros((ROBOTS, count, 3))}
    _, found = CPU.iterate(row, plan)(steps=STEPS, **start, **given)
    kernel = CPU.map(prepare)
    chosen, axes = [], [contact.axes for contact in step.contacts]
    for k, i in zip(
        rng.integers(40, STEPS - 1, 4 * MOST), rng.integers(0, ROBOTS, 4 * MOST), strict=True
    ):
        state = {name: found[name][k, i] for name in ("q", "qd", "impulses")}
        if not np.isfinite(state["q"]).all() or state["q"][2] < 0.5 * height:
            continue
        made = kernel(goal=goal[k + 1, i], **state, **given)
        values = dict(zip(prepare.outputs, made, strict=True))
        K = np.array(step._unpacked_mobility(values))
        _, arms = step._axes_and_arms(values)
        units = np.eye(step.size)
        C = np.array([[step._velocity(c, u, axes, arms) for u in units] for c in range(count)])
        C = C.transpose(0, 2, 1).reshape(3 * count, step.size)
        A, warm = C @ K @ C.T, state["impulses"].ravel()
        free = C @ values["velocity"] - A @ warm
        target = values["law"][:, 6]
        if (free.reshape(-1, 3)[:, 0] < target).any():
            chosen.append((A, free, target, 0.7, warm))
        if len(chosen) == MOST:
            break
    return chosen


# -- methods: generators of impulses ------------------------------------------------------------


def disk(x, radius):
    size = np.linalg.norm(x)
    return x if size <= radius else x * (radius / size)


def cone(f, mu):
    """Each impulse projected to its cone."""
    f = f.reshape(-1, 3).copy()
    for row in f:
        n, side = row[0], np.linalg.norm(row[1:])
        if mu * side <= -n:
            row[:] = 0.0
        elif side > mu * n:
            row[0] = (n + mu * side) / (1 + mu * mu)
            row[1:] *= mu * row[0] / side
    return f.ravel()


def gauss_seidel(A, b, target, mu, f):
    """Normal, then tangents, contact by contact: what Paraxis does."""
    f = f.copy()
    while True:
        for k in range(0, len(f), 3):
            t = slice(k + 1, k + 3)
            f[k] = max(0.0, f[k] - (A[k] @ f + b[k] - target[k // 3]) / A[k, k])
            largest = np.linalg.eigvalsh(A[t, t])[-1]
            f[t] = disk(f[t] - (A[t] @ f + b[t]) / largest, mu * f[k])
        yield f


def gauss_seidel_sticking(A, b, target, mu, f):
    """The same, but first the 3x3 solution that sticks."""
    f = f.copy()
    while True:
        for k in range(0, len(f), 3):
            s, t = slice(k, k + 3), slice(k + 1, k + 3)
            u = A[s] @ f + b[s]
            u[0] -= target[k // 3]
            stuck = f[s] - np.linalg.solve(A[s, s], u)
            if stuck[0] >= 0 and np.linalg.norm(stuck[1:]) <= mu * stuck[0]:
                f[s] = stuck
                continue
            f[k] = max(0.0, f[k] - u[0] / A[k, k])
            largest = np.linalg.eigvalsh(A[t, t])[-1]
            f[t] = disk(f[t] - (A[t] @ f + b[t]) / largest, mu * f[k])
        yield f


def scaled(A, b, target):
    """The problem in impulses of which each contact has mobilities of at most 1; cones stay."""
    blocks = [A[k : k + 3, k : k + 3] for k in range(0, len(b), 3)]
    s = np.repeat([np.linalg.eigvalsh(block)[-1] ** -0.5 for block in blocks], 3)
    b = b.copy()
    b[::3] -= target
    return s[:, None] * A * s, s * b, s


def jacobi(A, b, target, mu, f):
    """All contacts at once, by the largest step that is safe."""
    A, b, s = scaled(A, b, target)
    f, step = f / s, 1.0 / np.linalg.eigvalsh(A)[-1]
    while True:
        g = f - step * (A @ f + b)
        for k in range(0, len(f), 3):
            f[k] = max(0.0, g[k])
            f[k + 1 : k + 3] = disk(g[k + 1 : k + 3], mu * f[k])
        yield s * f


def accelerated(A, b, target, mu, f):
    """Accelerated projected gradient with restarts, on the convex problem."""
    A, b, s = scaled(A, b, target)
    f, step, momentum = f / s, 1.0 / np.linalg.eigvalsh(A)[-1], 1.0
    y = f.copy()
    while True:
        new = cone(y - step * (A @ y + b), mu)
        if (y - new) @ (new - f) > 0:
            momentum = 1.0
        after = 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        y = new + (momentum - 1) / after * (new - f)
        f, momentum = new, after
        yield s * f


def admm(A, b, target, mu, f, rho=0.3):
    """Alternating directions with an inverse that is made once, on the convex problem."""
    A, b, s = scaled(A, b, target)
    inverse = np.linalg.inv(A + rho * np.eye(len(b)))
    z = f / s
    w = -(A @ z + b) / rho  # the dual that goes with z
    while True:
        x = inverse @ (rho * (z - w) - b)
        z = cone(x + w, mu)
        w += x - z
        yield s * z


def explicit(A, b, target, mu, f, scale=1.0):
    """Complementarity-free: one projection for each contact, no iteration."""
    _, b, s = scaled(A, b, target)
    while True:
        yield s * cone(-b / scale, mu)


PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
SCALES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def residual(A, b, target, mu, f, convex):
    """The natural map in velocities: of Coulomb's law, or of the convex problem."""
    u, D = A @ f + b, np.diag(A)
    worst = 0.0
    for k in range(0, len(f), 3):
        un, ut = u[k] - target[k // 3], u[k + 1 : k + 3]
        largest = np.linalg.eigvalsh(A[k + 1 : k + 3, k + 1 : k + 3])[-1]
        if convex:
            scale = max(D[k], largest)
            g = cone(f[k : k + 3] - np.array([un, *ut]) / scale, mu)
            worst = max(worst, scale * abs(f[k : k + 3] - g).max())
        else:
            held = largest * f[k + 1 : k + 3]
            slip = held - disk(held - ut, mu * largest * f[k])
            worst = max(worst, abs(min(un, D[k] * f[k])), abs(slip).max())
    return worst


def flops(method, count, bodies):
    """Per iteration, additions and multiplications; through motions of bodies where that is less,
    for every method."""
    several = count > bodies  # contacts on a body, whose motion has 6 coordinates
    size = 6 * bodies if several else 3 * bodies
    if method in (gauss_seidel, gauss_seidel_sticking):
        products = count * (2 * 36 + 24) + 2 * 36 * bodies * (bodies - 1)
        products = products if several else 2 * size**2
        return products + (25 if method is gauss_seidel else 25 + 30) * count
    products = 2 * size**2 + (24 * count if several else 0)
    return products + {jacobi: 18, accelerated: 36, admm: 36}[method] * count


METHODS = {
    "Gauss-Seidel, normal then tangents": (gauss_seidel, False),
    "Gauss-Seidel, sticking first": (gauss_seidel_sticking, False),
    "projected Jacobi": (jacobi, False),
    "accelerated projected gradient": (accelerated, True),
    "ADMM": (admm, True),
}


def iterations(method, convex, problem, warm, goals, most=2000, **options):
    """How many until each goal is reached (inf where `most` are not enough)."""
    A, b, target, mu, start = problem
    taken, left = [], list(goals)
    begin = start if warm else np.zeros_like(start)
    for k, f in enumerate(method(A, b, target, mu, begin, **options), 1):
        error = residual(A, b, target, mu, f, convex)
        while left and error < left[0]:
            taken.append(k)
            left.pop(0)
        if not left or k == most:
            break
    return taken + [np.inf] * len(left)


def best_penalty(given, warm):
    """The penalty with which ADMM takes the fewest iterations, in the median, to 1e-3 m/s."""
    few = given[:25]

    def median(rho):
        return np.median([iterations(admm, True, p, warm, (1e-3,), 600, rho=rho)[0] for p in few])

    return min(PENALTIES, key=median)


def main(most=MOST):
    goals = (1e-3, 1e-6)
    for name, make, bodies in (("Go2, 4 points", go2, 4), ("G1, 8 points", g1, 2)):
        given = problems(*make())[:most]
        count = len(given[0][2])
        print(f"\n{name}: {len(given)} problems")
        print(f"{'':46}{'from':>6}{'1e-3 m/s':>16}{'kflop':>8}{'1e-6 m/s':>16}{'kflop':>8}")
        for label, (method, convex) in METHODS.items():
            for warm in (False, True):
                options = {"rho": best_penalty(given, warm)} if method is admm else {}
                shown = f"{label} (rho {options['rho']:g})" if options else label
                taken = [iterations(method, convex, p, warm, goals, **options) for p in given]
                cells = ""
                for column in np.array(taken).T:
                    middle, high = np.quantile(column, [0.5, 0.9], method="nearest")
                    cost = middle * flops(method, count, bodies) / 1000
                    cells += f"{middle:>9g}{high:>7g}{cost:>8.1f}"
                print(f"{shown:46}{'warm' if warm else 'zero':>6}{cells}")
        left = {
            scale: np.median([residual(*p[:4], next(explicit(*p, scale)), True) for p in given])
            for scale in SCALES
        }
        scale = min(left, key=left.get)
        print(
            f"one projection, complementarity-free, leaves {left[scale]:.2g} m/s (scale {scale:g})"
        )


if __name__ == "__main__":
    main()
