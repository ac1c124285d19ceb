"""What all kernels have in common, wherever they run."""


class MachineCode:
    """Code of this process, which goes nowhere else."""

    def __reduce__(self):
        raise TypeError(
            "a kernel is machine code of this process: pickle the robot, or program.text()"
        )
