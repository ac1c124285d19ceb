"""The PUMA's joint angles as Lee and Chang print them: appendix A, with its misprints mended.

Mended: (A-2) has d2 twice; in (A-5) d = f11p² + pz² - d4² - a2² - a3² and e = 4 a2² (a3² + d4²);
(A-7) has pz where px is printed; (A-9) and (A-10) have ax, ay and az; (A-11) has o in the place of
a. Nothing else is changed, so that these are the operations of the paper's 25 tasks. What the
package itself solves with is shorter: physics/inverse_kinematics/puma.py.
"""

from paraxis.math import atan2, cos, sin, sqrt


def joint_angles(geometry, pose, arm, elbow):
    """Return θ1 ... θ6 for a pose of frame 6 in frame 0, a 4x4 matrix by rows.

    The signs arm and elbow are those of physics/inverse_kinematics/puma.py.
    """
    a2, a3, d2, d4 = geometry.a2, geometry.a3, geometry.d2, geometry.d4
    (ox, ax, px), (oy, ay, py), (oz, az, pz) = (row[1:4] for row in pose[:3])
    r = sqrt(px * px + py * py)
    θ1 = atan2(py, px) - atan2(d2, arm * sqrt(r * r - d2 * d2))
    S1, C1 = sin(θ1), cos(θ1)
    f11p = px * C1 + py * S1
    f11o, f12o = ox * C1 + oy * S1, -ox * S1 + oy * C1
    f11a, f12a = ax * C1 + ay * S1, -ax * S1 + ay * C1
    d = f11p * f11p + pz * pz - d4 * d4 - a2 * a2 - a3 * a3
    e = 4 * a2 * a2 * a3 * a3 + 4 * a2 * a2 * d4 * d4
    θ3 = atan2(a3, -d4) - atan2(d, -elbow * sqrt(e - d * d))
    S3, C3 = sin(θ3), cos(θ3)
    θ23 = -atan2(
        (pz * C3 - f11p * S3) - (d4 / a2) * f11p + (a3 / a2) * pz,
        (f11p * C3 + pz * S3) + (a3 / a2) * f11p + (d4 / a2) * pz,
    )
    θ2 = θ23 - θ3
    S23, C23 = sin(θ23), cos(θ23)
    θ4 = atan2(f12a, C23 * f11a - S23 * az)
    S4, C4 = sin(θ4), cos(θ4)
    θ5 = atan2(C4 * (C23 * f11a - S23 * az) + S4 * f12a, S23 * f11a + C23 * az)
    S5, C5 = sin(θ5), cos(θ5)
    θ6 = atan2(
        -C5 * (C4 * (C23 * f11o - S23 * oz) + S4 * f12o) + S5 * (S23 * f11o + C23 * oz),
        -S4 * (C23 * f11o - S23 * oz) + C4 * f12o,
    )
    return θ1, θ2, θ3, θ4, θ5, θ6
