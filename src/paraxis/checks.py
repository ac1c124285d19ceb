"""Checks of names and numbers that callers give, and how error messages quote them.

Names of robots, joints and frames may come from untrusted files: errors quote them, shortened.
"""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from .errors import ArgumentError, ParaxisError

LOOKED_AT = 1_000  # names at most; a chain may have a million joints
FEW = 12  # names that an error lists even if it has a suggestion
# words that do not resemble what they mean; kinds of joints as in MJCF, URDF and Pinocchio
MEANS = {"gpu": "cuda", "ball": "spherical", "hinge": "revolute", "slide": "prismatic"}
MEANS |= {"floating": "free", "freeflyer": "free", "screw": "helical", "weld": "fixed"}
# algorithms and functions as the field, Pinocchio and MuJoCo name them
MEANS |= {"rnea": "inverse_dynamics", "aba": "forward_dynamics", "crba": "mass_matrix"}
MEANS |= {"id": "inverse_dynamics", "fd": "forward_dynamics", "fk": "forward_kinematics"}
MEANS |= {"ik": "inverse_kinematics", "pose": "forward_kinematics", "nle": "bias_forces"}
MEANS |= {"nonlinear_effects": "bias_forces", "nonlineareffects": "bias_forces"}
MEANS |= {"rnea_derivatives": "inverse_dynamics_derivatives"}
MEANS |= {"computerneaderivatives": "inverse_dynamics_derivatives"}
MEANS |= {"aba_derivatives": "forward_dynamics_derivatives"}
MEANS |= {"computeabaderivatives": "forward_dynamics_derivatives"}
MEANS |= {"inertia": "mass_matrix", "inertia_matrix": "mass_matrix"}
MEANS |= {"joint_space_inertia": "mass_matrix"}
MEANS |= {"minverse": "mass_matrix_inverse", "computeminverse": "mass_matrix_inverse"}
MEANS |= {"osim": "operational_space_inertia", "ccrba": "centroidal_momentum_matrix"}
MEANS |= {"com": "centre_of_mass", "center_of_mass": "centre_of_mass"}
MEANS |= {"mj_inverse": "inverse_dynamics", "mj_forward": "forward_dynamics"}
MEANS |= {"rollout": "simulate", "step": "Simulator", "mj_step": "Simulator"}
MEANS |= {"ilqr": "optimal_control", "ddp": "optimal_control"}


def one_of(
    value: Any, known: Iterable, what: str, error: type[ParaxisError] = ArgumentError
) -> str:
    """`value`, if it is one of the names in `known`; otherwise an error that lists them.

    Of many names, only the one that was probably meant is named.
    """
    if isinstance(value, str) and value in known:
        return value
    names = [*known]
    near = did_you_mean(value, names)
    listed = f"{len(names)} names" if near and len(names) > FEW else listing(names, most=100)
    raise error(f"{what}: expected one of {listed}, found {quoted(value)}{near}")


def did_you_mean(name: Any, known: Iterable) -> str:
    """The end of an error about an unknown name: the most similar known name, if any.

    A known name that has the unknown one among its words, as semi_implicit_euler has euler, comes
    first.
    """
    if not isinstance(name, str) or len(name) > 100:
        return ""
    import difflib  # here: only errors need it

    by_lower = {each.lower(): each for each in [*known][:LOOKED_AT] if isinstance(each, str)}
    name = name.lower()
    meant = MEANS.get(name, "").lower()
    near = [meant] if meant in by_lower else []
    near = near or sorted((each for each in by_lower if f"_{name}_" in f"_{each}_"), key=len)
    likeness = 0.6 if len(name) < 5 else 0.7
    near = near or difflib.get_close_matches(name, by_lower, n=1, cutoff=likeness)
    return f"; did you mean {quoted(by_lower[near[0]])}?" if near else ""


def shown(text: Any, most: int = 60) -> str:
    """`text` on one line of at most `most` characters, unprintable ones as escapes.

    Names may come from untrusted files. The result may still be markup to rich or HTML: pass it on
    as Text, or escape it.
    """
    line = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text)[: most + 1]
    )
    return line if len(line) <= most else line[: most - 1] + "…"


def quoted(text: Any, most: int = 80) -> str:
    """`text`, which may be untrusted, quoted on one line of about `most` characters."""
    shown = repr(text[: most + 1] if isinstance(text, str | bytes) else text)
    return shown if len(shown) <= most + 2 else f"{shown[:most]}...{shown[0]}"


def listing(names: Sequence, most: int = 12) -> str:
    """The first names, quoted, and how many more there are."""
    shown = ", ".join(quoted(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def counted(count: int, what: str) -> str:
    """How many of something: "1 joint", "2 joints", "3 degrees of freedom"."""
    if count == 1:
        return f"1 {what}"
    noun, *rest = what.split(" ", 1)
    return " ".join([f"{count:,} {noun}s", *rest])


def integer(name: str, value: Any, least: int = 1) -> int:
    """`value` as an int; an error unless it is an integer, and not too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ArgumentError(f"{name}: expected an integer >= {least}, found {value!r}")
    return int(value)


def is_hashable(value: Any) -> bool:
    """Whether it can be a key of a dict; a tuple can only if all its entries can."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
