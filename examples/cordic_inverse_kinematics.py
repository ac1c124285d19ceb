"""How many bits does the inverse kinematics of an arm need in hardware?

The closed-form solution of a PUMA becomes a pipeline of CORDIC processors. For some word lengths:
how large its errors are over the whole workspace, and how many poses it calls valid. This is what
the Verilog of `circuit.export(folder)` computes, bit for bit.
"""

import paraxis as px

MARGIN = 1 / 6  # from singularities, where any error grows without limit


def main():
    robot = px.load("puma560")
    workspace = px.hardware.reachable_poses(robot, 20_000)
    print(f"{robot.name}: {px.hardware.inverse_kinematics_circuit(robot).pipeline.summary}\n")
    print("bits   largest error   of rounding alone   half are below   valid")
    for word in (14, 16, 20, 24, 28, 32):
        found = workspace.accuracy(px.hardware.inverse_kinematics_circuit(robot, word=word))
        print(
            f"{word:>4}{found.worst(MARGIN):>12.1e} rad{found.worst_rounding(MARGIN):>16.1e} rad"
            f"{found.median(MARGIN):>13.1e} rad{found.share():>8.1%}"
        )


if __name__ == "__main__":
    main()
