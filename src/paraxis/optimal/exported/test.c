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
    double controls = 0, cost = 0;
    for (int p = 0; p < TEST_PROBLEMS; p++) {
        const struct test_problem *given = &test_given[p];
        const struct ${name}_trajectory *found;
        double size = $tiny, error = 0;
        ${name}_init(&test_work);
$solve
        found = ${name}_solution(&test_work);
        for (int i = 0; i < TEST_ENTRIES; i++) {
            const double expected = (double)test_controls[p][i];
            const double value = (double)found->knots[i / $nu].u[i % $nu];
            size = test_larger(size, fabs(expected));
            error = test_larger(error, fabs(value - expected));
        }
        controls = test_larger(controls, error / size);
        error = fabs((double)test_work.cost - (double)test_cost[p]);
        cost = test_larger(cost, error / ($tiny + fabs((double)test_cost[p])));
    }
    printf("$name: error of controls %.1e, at most $of_controls wanted; of cost %.1e, at most $of_cost "
           "wanted; %d problems\n", controls, cost, TEST_PROBLEMS);
    return controls <= $of_controls && cost <= $of_cost ? 0 : 1;
}
