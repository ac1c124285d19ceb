"""Optimal control of an arm by Crocoddyl: its own costs, semi-implicit Euler steps and solver."""

import time

import crocoddyl
import numpy as np


class CrocoddylSearch:
    """One arm, and half the weighted squares of errors, rates and torques as its cost per second;
    `at_end` weighs errors and rates once more. It solves one problem at a time."""

    def __init__(self, model, horizon, dt, weights, at_end, threads=1):
        self.model, self.horizon, self.dt = model, horizon, dt
        self.weights, self.at_end, self.threads = weights, at_end, threads
        self.state = crocoddyl.StateMultibody(model)
        self.actuation = crocoddyl.ActuationModelFull(self.state)

    def search(self, x0, goal):
        """A solver (DDP without second derivatives of the dynamics, so iLQR) of one problem."""
        running = self._model(goal, *self.weights, self.dt)
        end = self._model(goal, *self.at_end, 0.0, 0.0)
        problem = crocoddyl.ShootingProblem(x0, [running] * self.horizon, end)
        problem.nthreads = self.threads
        return crocoddyl.SolverDDP(problem)

    def _model(self, goal, by_error, by_rate, by_torque, dt):
        state, nu, nv = self.state, self.actuation.nu, self.model.nv
        costs, about = crocoddyl.CostModelSum(state, nu), np.r_[goal, np.zeros(nv)]
        weights = np.repeat([float(by_error), float(by_rate)], nv)
        weighted = crocoddyl.ActivationModelWeightedQuad(weights)
        error = crocoddyl.ResidualModelState(state, about, nu)
        costs.addCost("state", crocoddyl.CostModelResidual(state, weighted, error), 1.0)
        if by_torque:
            torque = crocoddyl.ResidualModelControl(state, nu)
            costs.addCost("torque", crocoddyl.CostModelResidual(state, torque), by_torque)
        dynamics = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, self.actuation, costs)
        return crocoddyl.IntegratedActionModelEuler(dynamics, dt)

    @staticmethod
    def run(search, us, iterations):
        """(seconds, cost, steps) from these controls; the first trajectory is not timed."""
        us = [*us]
        xs = search.problem.rollout(us)
        begin = time.perf_counter()
        search.solve(xs, us, iterations, True, 1e-9)
        return time.perf_counter() - begin, search.cost, search.iter
