"""The tables of the documentation, made from benchmarks/results: a module for each benchmarks page.

Each module has TABLES: name -> (results file or None, function of its content). A table's text ends
in the setting in which it was measured, so that it can be read on any page. ANSWER is what the page
begins with: (names of results files, function of their contents).
"""

from . import (
    browser,
    call_overhead,
    chains,
    circuits,
    cluster,
    compile_times,
    cpu,
    floating_base,
    gpu,
    gpu_small_batches,
    gradients_and_learning,
    ground,
    kinematics,
    limits,
    optimal_control,
    sampled_control,
    scheduling,
    simulation,
    two_cores,
)

MODULES = (
    cpu,
    call_overhead,
    compile_times,
    gpu,
    gpu_small_batches,
    floating_base,
    simulation,
    ground,
    gradients_and_learning,
    optimal_control,
    chains,
    sampled_control,
    kinematics,
    scheduling,
    two_cores,
    cluster,
    browser,
    circuits,
    limits,
)
TABLES = {name: source for module in MODULES for name, source in module.TABLES.items()}
assert len(TABLES) == sum(len(module.TABLES) for module in MODULES), "two tables of one name"
ANSWERS = {module.__name__.rpartition(".")[2]: module.ANSWER for module in MODULES}
