"""The kernels of a captured CUDA graph by themselves: without the copies around them.

By the driver's own functions, since neither PyTorch nor CuPy hands out the nodes of a graph.
"""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p

KERNEL = 0  # CU_GRAPH_NODE_TYPE_KERNEL


class Parameters(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2"""

    _fields_ = (
        ("function", c_void_p),
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("arguments", POINTER(c_void_p)),
        ("extra", POINTER(c_void_p)),
        ("kernel", c_void_p),
        ("context", c_void_p),
    )

    @property
    def first_argument(self):
        """A pointer, of kernels whose first argument is one."""
        return c_void_p.from_address(self.arguments[0]).value


class Driver:
    def __init__(self, library="libcuda.so.1"):
        self.library = ctypes.CDLL(library)

    def __call__(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = c_char_p()
            self.library.cuGetErrorName(status, byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def kernels(self, graph):
        """(name, parameters) of each kernel of a graph; valid as long as the graph is."""
        graph, count = c_void_p(graph), c_size_t()
        self("cuGraphGetNodes", graph, None, byref(count))
        nodes = (c_void_p * count.value)()
        self("cuGraphGetNodes", graph, nodes, byref(count))
        for node in map(c_void_p, nodes):
            kind = c_int()
            self("cuGraphNodeGetType", node, byref(kind))
            if kind.value == KERNEL:
                parameters = Parameters()
                self("cuGraphKernelNodeGetParams_v2", node, byref(parameters))
                yield self._name(parameters), parameters

    def _name(self, parameters):
        name = c_char_p()
        if parameters.function:
            self("cuFuncGetName", byref(name), c_void_p(parameters.function))
        else:
            self("cuKernelGetName", byref(name), c_void_p(parameters.kernel))
        return name.value.decode()

    def repeated(self, parameters, times):
        """A graph of the same kernel so many times, one after another; returns what launches it."""
        graph, runnable = c_void_p(), c_void_p()
        self("cuGraphCreate", byref(graph), 0)
        last, before = c_void_p(), None
        for _ in range(times):
            after = () if before is None else (before,)
            needed = (c_void_p * len(after))(*after) if after else None
            add = (byref(last), graph, needed, c_size_t(len(after)), byref(parameters))
            self("cuGraphAddKernelNode_v2", *add)
            before = last.value
        self("cuGraphInstantiateWithFlags", byref(runnable), graph, ctypes.c_ulonglong(0))
        self("cuGraphDestroy", graph)
        return lambda: self("cuGraphLaunch", runnable, None)  # the stream of all that names none


def only_kernel(driver, graph, name):
    """The parameters of the one kernel of a graph that has this name in its own."""
    found = list(driver.kernels(graph))
    fitting = [parameters for each, parameters in found if name in each]
    if len(fitting) != 1:
        raise LookupError(f"expected one {name}, found {[each for each, _ in found]}")
    return fitting[0]
