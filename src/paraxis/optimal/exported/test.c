$comment

#include <math.h>
#include <stdio.h>
#include "$name.h"

#define TEST_PROBLEMS $count
#define TEST_ENTRIES $entries

static const struct test_problem {
    $real x0[$nx];
$given
} test_given[TEST_PROBLEMS] = {
$problems
};

static const $real test_cost[TEST_PROBLEMS] = {
$costs
};

static const $real test_controls[TEST_PROBLEMS][TEST_ENTRIES] = {
$controls
};

static struct ${name}_work test_work;

static double test_larger(double a, double b) /* NaN if one of them is */
{
    return b <= a || a != a ? a : b;
}

int main(void)
{
    double worst = 0;
    for (int p = 0; p < TEST_PROBLEMS; p++) {
        const struct test_problem *given = &test_given[p];
        const struct ${name}_trajectory *found;
        double size = $tiny, error = 0;
        ${name}_init(&test_work);
$solve
        found = ${name}_solution(&test_work);
        for (int i = 0; i < TEST_ENTRIES; i++) {
            const double expected = (double)test_controls[p][i];
            const double value = (double)found->u[i / $nu][i % $nu];
            size = test_larger(size, fabs(expected));
            error = test_larger(error, fabs(value - expected));
        }
        worst = test_larger(worst, error / size);
        error = fabs((double)test_work.cost - (double)test_cost[p]);
        worst = test_larger(worst, error / ($tiny + fabs((double)test_cost[p])));
    }
    printf("$name: error %.1e over %d problems, at most $wanted wanted\n", worst, TEST_PROBLEMS);
    return worst <= $wanted ? 0 : 1;
}
