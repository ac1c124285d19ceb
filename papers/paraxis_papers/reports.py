"""The reports there are: name -> (what it is about, how to make it). Made when asked for."""


def _cordic():
    from .cordic.report import cordic

    return cordic()


def _counts():
    from .counts.report import counts

    return counts()


def _depth():
    from .depth.report import depth

    return depth()


def _friction():
    from .friction.report import friction

    return friction()


def _log_depth():
    from .log_depth.report import log_depth

    return log_depth()


def _networks():
    from .networks.report import networks

    return networks()


def _schedules():
    from .schedules.report import schedules

    return schedules()


def _speculation():
    from .speculation.report import speculation

    return speculation()


def _systolic():
    from .systolic.report import systolic

    return systolic()


REPORTS = {
    "cordic": ("Lee and Chang's CORDIC inverse kinematics, from equations to gates", _cordic),
    "counts": ("operation counts beside those the papers print", _counts),
    "depth": ("times on unlimited processors beside those Lathrop prints", _depth),
    "friction": ("torques of motors with friction beside Dhanaraj's", _friction),
    "log-depth": ("Fijany's claims, counted and planned; long chains, once measured", _log_depth),
    "networks": ("recurrences on several processors, and messages between these", _networks),
    "schedules": ("Dhanaraj's subtasks, levels and times, checked and proved", _schedules),
    "speculation": ("what is claimed of stale data in control, tested", _speculation),
    "systolic": ("Lathrop's arrays of processors, simulated", _systolic),
}
