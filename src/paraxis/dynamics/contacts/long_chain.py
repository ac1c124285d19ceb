"""Contact at the end of a chain that is too long for its own Program (chains/closed.py)."""

from functools import lru_cache

import numpy as np

from ...chains.closed import ClosedChain
from ...drivers.map import as_array, broadcast_shapes
from ...physics.contact.constrained_dynamics import Place

NEGLIGIBLE = 1e-12  # a singular value of the equations for the contact's force, scaled to one


def touches_tip(robot, contacts):
    """Whether it is a chain of single joints with one contact, on its last link."""
    alone = len(contacts) == 1 and not robot.branching and robot.has_single_joints
    return alone and contacts[0].frame_of(robot).body == robot.n - 1


def constrained_chain(robot, q, qd, tau, contact):
    """qdd, force, acceleration and rank, per state."""
    n, frame = robot.n, contact.frame_of(robot)
    given = {name: as_array(v, name, (n,)) for name, v in (("q", q), ("qd", qd), ("tau", tau))}
    batches = {name: array.shape[:-1] for name, array in given.items()}
    numbers = {}
    for name, array in contact.data.items():
        entry = contact.shapes[name]
        batches[name] = array.shape[: array.ndim - len(entry)]
        numbers[name] = (array, entry)
    batch = broadcast_shapes(batches)
    whole = [np.broadcast_to(array, (*batch, n)) for array in given.values()]
    numbers = {
        name: np.broadcast_to(array, (*batch, *entry)) for name, (array, entry) in numbers.items()
    }
    chain = _closed(robot, frame, contact.coordinates)
    qdd, force, acceleration = (np.full((*batch, k), np.nan) for k in (n, 6, 6))
    rank = np.zeros(batch, int)
    for index in np.ndindex(batch):
        values = {name: array[index].tolist() for name, array in numbers.items()}
        with chain.lock:
            tip = chain.open(*(array[index] for array in whole))
            found, rank[index] = _force(tip, contact.form(frame, values))
            if found is not None:
                chain.close(tip, found, qdd[index])
        if found is not None:
            force[index], acceleration[index] = found, tip.acceleration - tip.mobility @ found
    single = all(array.dtype == np.float32 for array in given.values())
    found = [x.astype(np.float32) if single else x for x in (qdd, force, acceleration)]
    return *found, rank[()]


def _force(tip, form):
    """The force that the tip exerts, or None, and the rank of the equations for it."""
    place = Place(tip.pose.tolist(), None, tip.velocity.tolist(), None)
    rows, columns = np.array(form.rows), np.array(form.force_directions(place)).T
    known = np.array(form.known_force())
    A = rows @ tip.mobility @ columns + np.diag(form.slack)
    b = rows @ (tip.acceleration - tip.mobility @ known) - np.array(form.demanded(place))
    if not np.isfinite(A).all():
        return None, 0
    left, right = (_scales(tip.mobility, each, form.slack) for each in (rows, columns.T))
    scaled = left[:, None] * A * right
    rank = int((np.linalg.svd(scaled, compute_uv=False) > NEGLIGIBLE).sum())
    if rank < len(b):
        return None, rank
    return known + columns @ (right * np.linalg.solve(scaled, left * b)), rank


def _scales(mobility, directions, slack):
    """Scales for which numbers in the equations have size one: how easily the tip moves, in any
    direction of the same kind."""
    turning, sliding = (np.linalg.norm(mobility[k : k + 3, k : k + 3], 2) for k in (0, 3))
    squares = directions**2
    sizes = squares[:, :3].sum(1) * turning + squares[:, 3:].sum(1) * sliding + np.abs(slack)
    return 1.0 / np.sqrt(np.where(sizes > 0.0, sizes, 1.0))


_closed = lru_cache(maxsize=8)(ClosedChain)  # with the memory of its sweeps
