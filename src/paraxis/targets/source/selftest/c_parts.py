"""The self-test of the C of several processors: a thread each, over all states and once more.

The second time the memory they share is used as the first time left it.
"""

from ..c_parts import PartsFunctions
from ..text import listed
from .c import ERROR, comparison, data, members, opening, verdict


def self_test(graph, parts, vectors, name=None, dtype="float64"):
    """A program that compares with `vectors`; it exits with 0 if the results agree."""
    functions = PartsFunctions(graph, parts, name, dtype)
    rows = functions.rows(members(functions.arrays, "test_results"))
    arguments = ["processor", "&test_shared", *rows]
    count = len(parts)
    return f"""{opening(functions.name)}

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include "{functions.name}.h"

{data(functions, vectors)}

static struct test_results test_results;
static struct {functions.name}_shared test_shared;

{ERROR.format(real=functions.real)}

static void *test_processor(void *number)
{{
    const int processor = *(const int *)number;
    for (int again = 0; again < 2; again++) {{
        for (size_t state = 0; state < TEST_STATES; state++) {{
{listed(f"            {functions.name}_run(", arguments, ");", " " * 16)}
        }}
    }}
    return NULL;
}}

int main(void)
{{
    static int test_number[{count}];
    pthread_t test_thread[{count}];
    double worst = 0;
    for (int k = 0; k < {count}; k++) {{
        test_number[k] = k;
        if (pthread_create(&test_thread[k], NULL, test_processor, &test_number[k])) {{
            puts("no thread could be made");
            return 1;
        }}
    }}
    for (int k = 0; k < {count}; k++)
        pthread_join(test_thread[k], NULL);
{comparison(functions.arrays, "test_results")}
{verdict(functions.name, vectors)}
}}
"""
