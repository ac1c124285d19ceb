"""URDF in few words."""


def robot(*parts, name="r"):
    return f'<robot name="{name}">\n' + "\n".join(parts) + "\n</robot>"


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>'


def inertial(mass="1", moments="1 1 1 0 0 0", origin=""):
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    inertia = " ".join(f'{k}="{v}"' for k, v in zip(names, moments.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {inertia}/></inertial>'


def joint(name, parent, child, kind="revolute", inside=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


A, B, C, D = (link(name) for name in "abcd")
PAIR = robot(A, B, joint("j", "a", "b"))  # the smallest robot


def pair(link_inside="", joint_inside="", kind="revolute"):
    return robot(A, link("b", link_inside), joint("j", "a", "b", kind, joint_inside))
