"""frax 0.1: dynamics in JAX from a URDF, on batches of states.

As its documentation says: functions of one state, vmapped and jitted by the caller.
"""

import sys
import types
import xml.etree.ElementTree
from contextlib import suppress
from pathlib import Path

import jax
import jax.numpy as jnp

RISING = (0.0, 0.0, 9.81, 0.0, 0.0, 0.0)  # the base's acceleration, linear part first


class FraxPeer:
    """A robot of frax; `folder` is where its package was unpacked, if it is not installed."""

    def __init__(self, path, folder=None):
        if folder is not None and str(folder) not in sys.path:
            sys.path.append(str(folder))
        _read_xml_without_lxml()
        from frax.core.robot import Robot

        self.robot = Robot(str(Path(path)))
        self.joint_names = list(self.robot.joint_names)

    def function(self, name):
        """The function of a batch of states, jitted."""
        robot = self.robot

        def inverse_dynamics(q, qd, qdd):
            return robot.rnea(q, qd, qdd, jnp.array(RISING, q.dtype), None)

        def forward_dynamics(q, qd, tau):
            return robot.forward_dynamics(q, qd, tau, None)

        return jax.jit(
            jax.vmap({f.__name__: f for f in (inverse_dynamics, forward_dynamics)}[name])
        )


def _read_xml_without_lxml():
    """frax reads its file by lxml; where that is missing, by Python's own reader."""
    with suppress(ImportError):
        import lxml.etree

        return
    etree = types.ModuleType("lxml.etree")
    for name in ("Element", "ElementTree", "parse", "tostring", "fromstring"):
        setattr(etree, name, getattr(xml.etree.ElementTree, name))
    etree.XMLParser = lambda **options: xml.etree.ElementTree.XMLParser()  # drops comments too
    lxml = types.ModuleType("lxml")
    lxml.etree = etree
    sys.modules |= {"lxml": lxml, "lxml.etree": etree}
