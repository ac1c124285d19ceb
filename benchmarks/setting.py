"""A robot and a batch of states, as Paraxis and the peers want them."""

import warnings

import numpy as np
import peers

import paraxis as px


class Setting:
    """Each gets the states in its own order of joints, so that nobody pays for a permutation."""

    def __init__(self, name, batch):
        self.path, self.batch = peers.robot_file(name), batch
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", px.RobotWarning)
            self.robot = px.load(self.path, couplings="independent")
        self.pinocchio = peers.PinocchioPeer(self.path)
        self._order = [self.robot.joint_names.index(name) for name in self.pinocchio.joint_names]
        self.theirs = np.random.default_rng(7).uniform(-2, 2, (3, batch, self.robot.n))
        self.mine = np.empty_like(self.theirs)
        self.mine[..., self._order] = self.theirs
        self.prepared = self.pinocchio.prepare(*self.theirs)

    def in_their_order(self, array):
        """A result of Paraxis, a vector or a matrix per state, as the peers would give it."""
        for axis in range(1, array.ndim):
            array = np.take(array, self._order, axis)
        return array


def take_turns(runs, rounds, repeat):
    """The best seconds of each of `runs`, a round of all after the other."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for key, run in runs.items():
            best[key] = min(best[key], peers.best_time(run, repeat, min_seconds=0.0))
    return best
