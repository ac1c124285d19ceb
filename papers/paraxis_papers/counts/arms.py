"""The arms of Dhanaraj's Table 2.10 as his generator was given them (appendices D.2 and D.3).

Rotor inertia is folded into Izz of the link it drives, and gravity is 9.8 m/s². With three joints
the Stanford arm's wrist is lumped onto link 3; the PUMA's is left out. The motor entry of the
Stanford arm's joint 3, a mass, does not appear in the printed programs.
"""

from dataclasses import replace

from paraxis import load

GRAVITY = (0.0, 0.0, -9.8)


def puma(joints):
    """The PUMA 560, or its first joints."""
    return load("puma560_thesis").subchain(f"link{joints}", drop_rest=True)


def stanford(joints):
    """The Stanford arm, or its first joints with the rest lumped onto the last."""
    arm = load("stanford")
    bodies = [
        _with_rotor(body, joint.rotor_inertia if joint.is_revolute else 0.0)
        for body, joint in zip(arm.inertias, arm.joints, strict=True)
    ]
    mass = sum(body.mass for body in bodies[joints - 1 :])
    bodies[joints - 1] = replace(bodies[joints - 1], mass=mass)
    bare = tuple(replace(joint, rotor_inertia=0.0) for joint in arm.joints)
    folded = replace(arm, joints=bare, inertias=tuple(bodies), gravity=GRAVITY, warn=False)
    return folded.subchain(f"link{joints}", drop_rest=True)


def _with_rotor(body, inertia):
    xx, yy, zz, *products = body.about_com
    return replace(body, about_com=(xx, yy, zz + inertia, *products))
