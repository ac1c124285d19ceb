"""The self-test of CUDA: nvcc makes it run on a GPU, a plain C++ compiler on the CPU."""

from ..cuda import DeviceFunction
from ..text import listed
from . import c


def self_test(graph, vectors, name=None, dtype="float64"):
    """A program that compares the kernel with `vectors`; it exits with 0 if they agree."""
    function = DeviceFunction(graph, name, dtype)

    def launch(given, results):
        arguments = [
            f"{results if a.is_output else given}{a.name}, 1, {a.entries}" for a in function.arrays
        ]
        return listed("", ["TEST_STATES", *arguments], ");", " " * 8)

    copy_inputs = """
    struct test_inputs *given;
    test_check(cudaMalloc(&given, sizeof test_given));
    test_check(cudaMemcpy(given, &test_given, sizeof test_given, cudaMemcpyHostToDevice));"""
    return f"""{c.opening(function.name)}

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef __CUDACC__ /* a plain C++ compiler: one thread after another, on the CPU */
#define __device__
#define __global__
#define __noinline__
#define sincos(x, s, c) (*(s) = sin(x), *(c) = cos(x))
#define sincosf(x, s, c) (*(s) = sinf(x), *(c) = cosf(x))
static struct {{ unsigned x; }} threadIdx, blockIdx, blockDim = {{1}};
#endif

#include "{function.name}.cu"

{c.data(function, vectors)}

static struct test_results test_batch;

{c.ERROR.format(real=function.real)}

#ifdef __CUDACC__

static void test_check(cudaError_t status)
{{
    if (status != cudaSuccess) {{
        printf("{function.name}: %s\\n", cudaGetErrorString(status));
        exit(1);
    }}
}}

static void test_run(void)
{{
    struct test_results *results;{copy_inputs if graph.inputs else ""}
    test_check(cudaMalloc(&results, sizeof test_batch));
    {function.name}_batch<<<1, TEST_STATES>>>({launch("given->", "results->")}
    test_check(cudaGetLastError());
    test_check(cudaMemcpy(&test_batch, results, sizeof test_batch, cudaMemcpyDeviceToHost));
}}

#else

static void test_run(void)
{{
    for (blockIdx.x = 0; blockIdx.x < TEST_STATES; blockIdx.x++) {{
        {function.name}_batch({launch("test_given.", "test_batch.")}
    }}
}}

#endif

int main(void)
{{
    double worst = 0;
    test_run();
{c.comparison(function.arrays, "test_batch")}
{c.verdict(function.name, vectors)}
}}
"""
