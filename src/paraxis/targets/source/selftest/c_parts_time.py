"""A C program that times the C of several processors: a thread each, many calls one after another.

It prints the nanoseconds per call of the fastest round, of the median and of the slowest. A call
ends when all outputs are available, so that it includes the time processors wait for each other.
"""

from ..c import block_comment
from ..c_parts import PartsFunctions
from ..text import listed
from .c import data, members

ROUNDS, CALLS = 25, 200


def timing(graph, parts, vectors, name=None, dtype="float64"):
    """The text of the program; it calls the function on the states of `vectors` in turn."""
    functions = PartsFunctions(graph, parts, name, dtype)
    rows = functions.rows(members(functions.arrays, "test_results"))
    arguments = ["processor", "&test_shared", *rows]
    about = (
        f"Times {functions.name}_run on {len(parts)} threads: nanoseconds per call in the fastest, "
        "the median and the slowest round. Give it a core per thread."
    )
    return f"""{block_comment([about])}

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "{functions.name}.h"

{data(functions, vectors)}

enum {{ ROUNDS = {ROUNDS}, CALLS = {CALLS} }};

static struct test_results test_results;
static struct {functions.name}_shared test_shared;
static double test_times[ROUNDS];

static double test_now(void)
{{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}}

static int test_order(const void *a, const void *b)
{{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}}

static void *test_processor(void *number)
{{
    const int processor = *(const int *)number;
    for (int round = 0; round < ROUNDS; round++) {{
        const double begun = test_now();
        for (int k = 0; k < CALLS; k++) {{
            const size_t state = (size_t)k % TEST_STATES;
{listed(f"            {functions.name}_run(", arguments, ");", " " * 16)}
        }}
        if (processor == 0)
            test_times[round] = (test_now() - begun) / CALLS;
    }}
    return NULL;
}}

int main(void)
{{
    static int test_number[{len(parts)}];
    pthread_t test_thread[{len(parts)}];
    (void)test_expected;
    (void)test_large;
    for (int k = 0; k < {len(parts)}; k++) {{
        test_number[k] = k;
        if (pthread_create(&test_thread[k], NULL, test_processor, &test_number[k])) {{
            puts("no thread could be made");
            return 1;
        }}
    }}
    for (int k = 0; k < {len(parts)}; k++)
        pthread_join(test_thread[k], NULL);
    qsort(test_times, ROUNDS, sizeof *test_times, test_order);
    printf("%.1f %.1f %.1f\\n", test_times[0], test_times[ROUNDS / 2], test_times[ROUNDS - 1]);
    return 0;
}}
"""
