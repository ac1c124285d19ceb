"""Optimal control of an arm by IPOPT: multiple shooting, dynamics and derivatives by CasADi."""

import time

import casadi as ca
import numpy as np

from .casadi_links import links
from .casadi_recursions import articulated_body


class IpoptSearch:
    """The problems of a CrocoddylSearch, one at a time, with exact second derivatives."""

    def __init__(self, model, horizon, dt, weights, at_end):
        nv, self.horizon = model.nv, horizon
        q, qd, u, goal = (ca.SX.sym(name, nv) for name in ("q", "qd", "u", "goal"))
        rates = qd + dt * articulated_body(model, links(model, q, False), qd, u)
        x = ca.vertcat(q, qd)
        step = ca.Function("step", [x, u], [ca.vertcat(q + dt * rates, rates)])

        def half_squares(by_error, by_rate, by_torque=0.0):
            squares = by_error * ca.sumsqr(q - goal) + by_rate * ca.sumsqr(qd)
            return 0.5 * (squares + by_torque * ca.sumsqr(u))

        stage = ca.Function("stage", [x, u, goal], [dt * half_squares(*weights)])
        end = ca.Function("end", [x, goal], [half_squares(*at_end)])
        self._step = step
        first, goal = ca.MX.sym("x0", 2 * nv), ca.MX.sym("goal", nv)
        xs = [first, *(ca.MX.sym(f"x{k}", 2 * nv) for k in range(1, horizon + 1))]
        us = [ca.MX.sym(f"u{k}", nv) for k in range(horizon)]
        pairs = [*zip(xs[:-1], us, strict=True)]
        cost = sum(stage(x, u, goal) for x, u in pairs) + end(xs[-1], goal)
        gaps = [step(x, u) - y for (x, u), y in zip(pairs, xs[1:], strict=True)]
        unknown = ca.vertcat(*(each for pair in zip(us, xs[1:], strict=True) for each in pair))
        nlp = {"x": unknown, "p": ca.vertcat(first, goal), "f": cost, "g": ca.vertcat(*gaps)}
        options = {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False, "expand": False}
        self._search = ca.nlpsol("search", "ipopt", nlp, options | {"ipopt.tol": 1e-9})

    def run(self, x0, goal, us):
        """(seconds, cost, iterations) from these controls and the states that they lead to."""
        x, entries = x0, []
        for u in us:
            x = self._step(x, u).full().ravel()
            entries += [u, x]
        begin = time.perf_counter()
        found = self._search(x0=np.concatenate(entries), p=np.r_[x0, goal], lbg=0.0, ubg=0.0)
        seconds, stats = time.perf_counter() - begin, self._search.stats()
        if not stats["success"]:
            raise RuntimeError(f"IPOPT: {stats['return_status']}")
        return seconds, float(found["f"]), stats["iter_count"]
