"""Where the parallelism is: tasks, schedules, pipelines, arrays of processors, networks."""

from ..later import namespace

_NAMES = {
    "Network": "networks.network",
    "Pipeline": "pipelines.pipeline",
    "Recurrence": "networks.recurrence",
    "Schedule": "schedules.schedule",
    "network": "networks.network",
    "p_fold_plan": "networks.p_fold_plan",
    "recurrence": "networks.recurrence",
    "speedup_curve": "schedules.speedup_curve",
    "systolic_array": "systolic.build",
    "thread_schedule": "schedules.thread_schedule",
    "two_array_plan": "two_arrays.plan",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
