"""What messages call a robot of a batch, and what the inputs of a step are called."""


def robot_name(index):
    """What messages call the robot at an index of the batch."""
    index = tuple(int(k) for k in index)
    return f"robot {index[0] if len(index) == 1 else index}"


def setting_input(name):
    """The input that holds a setting: apart from others, whatever its name."""
    return f"setting_{name}"


def memory_input(name):
    """The input that holds what a controller remembers."""
    return f"memory_{name}"
