"""The self-test of C.

Most of it serves CUDA too, so it is C and C++ at once. Data are members of structures, where no
name of an array can stand in the way of another name.
"""

from ..c import block_comment, c_function
from ..text import listed

# The error is a share of what is large for an entry, whatever the units of the robot are.
ERROR = """static double test_larger(double a, double b) /* NaN if one of them is */
{{
    return b <= a || a != a ? a : b;
}}

/* The largest difference, each as a share of what is large for its entry. */
static double test_error(size_t entries, const {real} *found, const {real} *expected,
                         const {real} *size)
{{
    double worst = 0;
    for (size_t k = 0; k < entries * TEST_STATES; k++) {{
        double difference = fabs((double)found[k] - (double)expected[k]);
        worst = test_larger(worst, difference / (double)size[k % entries]);
    }}
    return worst;
}}"""


def self_test(graph, vectors, name=None, dtype="float64"):
    """A program that compares both functions with `vectors`; it exits with 0 if they agree."""
    function = c_function(graph, name, dtype)
    together = members(function.arrays, "test_batch")
    alone = members(function.arrays, "test_alone")
    return f"""{opening(function.name)}

#include <math.h>
#include <stdio.h>
#include "{function.name}.h"

{data(function, vectors)}

static struct test_results test_batch, test_alone;

{ERROR.format(real=function.real)}

int main(void)
{{
    double worst = 0;
{listed(f"    {function.name}_batch(", ["TEST_STATES", *together], ");", " " * 8)}
    for (size_t state = 0; state < TEST_STATES; state++) {{
{listed(f"        {function.name}(", function.rows(alone), ");", " " * 12)}
    }}
{comparison(function.arrays, "test_batch")}
{comparison(function.arrays, "test_alone")}
{verdict(function.name, vectors)}
}}
"""


def opening(name):
    return block_comment(
        [
            f"Compares {name} with results of the interpreter of Paraxis. "
            "Prints the error and exits with 0 when it is small, else with 1."
        ]
    )


def data(function, vectors):
    """The given states and the expected results."""
    inputs = [array for array in function.arrays if not array.is_output]
    outputs = [array for array in function.arrays if array.is_output]

    def fields(arrays, states=" * TEST_STATES"):
        lines = [f"    {function.real} {a.name}[{a.entries}{states}];" for a in arrays]
        return "\n".join(["{", *lines, "}"])

    def values(arrays):
        rows = [
            listed("    {", [function.language.literal(v) for v in array.ravel()], "}", "     ")
            for array in arrays
        ]
        return "{\n" + ",\n".join(rows) + "\n}"

    parts = [
        f"#define TEST_STATES {vectors.states}",
        f"static const struct test_inputs {fields(inputs)} test_given = {values(vectors.inputs)};",
        f"struct test_results {fields(outputs)};",
        f"static const struct test_results test_expected = {values(vectors.outputs)};",
        f"struct test_sizes {fields(outputs, '')};",
        f"static const struct test_sizes test_large = {values(vectors.sizes)};",
    ]
    return "\n\n".join(parts if inputs else [parts[0], *parts[2:]])


def members(arrays, results):
    """Where each array lies; outputs are in the structure `results`."""
    return [f"{results if a.is_output else 'test_given'}.{a.name}" for a in arrays]


def comparison(arrays, results):
    return "\n".join(
        "    worst = test_larger(worst, "
        f"test_error({a.entries}, {results}.{a.name}, test_expected.{a.name}, "
        f"test_large.{a.name}));"
        for a in arrays
        if a.is_output
    )


def verdict(name, vectors):
    wanted = f"at most {vectors.tolerance:.0e} wanted"
    return f"""    printf("{name}: error %.1e over %d states, {wanted}\\n", worst, TEST_STATES);
    return worst <= {vectors.tolerance!r} ? 0 : 1;"""
