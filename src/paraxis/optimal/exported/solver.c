$comment

#include <math.h>
#include <stddef.h>
#include "$name.h"

#ifdef __FAST_MATH__
#error "-ffast-math: it takes numbers for finite, and a search could not refuse those that are not"
#endif

$bodies

static $real ${name}_absolute($real x)
{
    return x < 0 ? -x : x;
}

static int ${name}_finite($real x)
{
    return x - x == 0;
}

//if per_step
/* The index of the values per step for knot k: they are those of the next plan, and as long as it
 * is not shifted, it begins one knot before them. */
static int ${name}_when(const struct ${name}_work *work, int k)
{
    return k > work->before ? k - work->before : 0;
}

//end
static void ${name}_flatten(struct ${name}_trajectory *side)
{
    for (int k = 0; k < ${NAME}_HORIZON; k++) {
        for (int i = 0; i < ${NAME}_NU; i++)
            side->knots[k].k[i] = 0;
        for (int i = 0; i < ${NAME}_NU * ${NAME}_NDX; i++)
            side->knots[k].K[i] = 0;
    }
}

/* All arrays that a loop over knots reads or writes are in their structure. With arrays of several
 * strides, GCC 12 at -O1 may treat a function that writes them as having no effects, and drop it.
 *
 * Rolls out from the initial state of the other side, by the law of this one. */
static void ${name}_go(struct ${name}_work *work)
{
    struct ${name}_trajectory *from = &work->side[work->now], *to = &work->side[1 - work->now];
//if gaps
    $real dx[${NAME}_NDX], slope = 0;
$apart
//end
    for (int k = 0; k < ${NAME}_HORIZON; k++) {
//if stage_constraints
        for (int i = 0; i < $stage_count; i++)
            to->knots[k].multipliers[i] = from->knots[k].multipliers[i];
//end
$forward
    }
//if gaps
    for (int i = 0; i < ${NAME}_NDX; i++)
        slope += from->knots[${NAME}_HORIZON].costates[i] * dx[i];
    work->rise = slope;
//end
}

/* The cost of a trajectory, and its gaps, without derivatives. */
static void ${name}_weigh(struct ${name}_work *work, int which)
{
    struct ${name}_trajectory *side = &work->side[which];
    $real V[$halves], v[${NAME}_NDX], value;
//if gaps
    $real gap, gaps = 0;
//end
$terminal
    for (int k = ${NAME}_HORIZON - 1; k >= 0; k--) {
$weigh
        side->total += value;
//if gaps
        gaps += gap;
//end
    }
//if gaps
    side->gaps = gaps;
//end
}

/* Linearise, and sweep backward: the cost of a trajectory, and the law around it. */
static void ${name}_judge(struct ${name}_work *work, int which)
{
    struct ${name}_trajectory *side = &work->side[which];
//if exact
    const struct ${name}_trajectory *bending = &work->side[work->now];
//end
    $real V[$halves], v[${NAME}_NDX];
//if limits
    $real H[$halves_of_both], g[${NAME}_NDX + ${NAME}_NU], du[${NAME}_NU];
//end
$terminal
    side->gaps = side->widest = side->bridged = 0;
    side->decrement = side->steepest = side->broken = 0;
    side->least = INFINITY;
    for (int i = 0; i < ${NAME}_NDX; i++)
        side->knots[${NAME}_HORIZON].costates[i] = v[i];
    for (int k = ${NAME}_HORIZON - 1; k >= 0; k--) {
//if exact
        const $real *costates = work->exact ? bending->knots[k + 1].costates : work->flat;
//end
$linearise
//if not limits
$backward
//end
//if limits
        $real settled = 0;
$expand
$start_box
        for (int times = 0; times < $BOX_STEPS && settled == 0; times++) {
$box
        }
$close
//end
        for (int i = 0; i < ${NAME}_NDX; i++)
            side->knots[k].costates[i] = v[i];
    }
}

static int ${name}_sound(const struct ${name}_trajectory *side)
{
    return side->least > 0 && ${name}_finite(side->decrement);
}

//if gaps
/* Raise the weight of gaps so that the step improves the merit of a trajectory: to twice the rise
 * of the cost that the model predicts for closing gaps (Nocedal and Wright, 18.36). */
static void ${name}_more_weight(struct ${name}_work *work)
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    const $real rise = here->bridged - here->decrement;
    if (work->length == 1)
        work->weight *= $FADING; /* earlier weights fade */
    if (here->gaps > 0 && rise > $NOISE * ${name}_absolute(work->merit)) {
        const $real enough = 2 * rise / here->gaps;
        if (enough > work->weight)
            work->weight = enough;
    }
}

//end
/* Whether the candidate is better than its origin, or need not be. */
static int ${name}_good(struct ${name}_work *work)
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    const struct ${name}_trajectory *there = &work->side[1 - work->now];
    $real gain = work->merit - there->total, needed;
    if (!${name}_finite(there->total))
        return 0;
//if gaps
    if (!${name}_finite(there->gaps))
        return 0;
    ${name}_more_weight(work);
    gain += work->weight * (here->gaps - there->gaps);
    needed = -$ARMIJO * work->length * (work->rise - work->weight * here->gaps);
//end
//if not gaps
    needed = $ARMIJO * work->length * here->decrement;
//end
    return !(work->length > 0) || gain >= needed - $NOISE * ${name}_absolute(work->merit);
}

/* Another law at the same trajectory: without second derivatives of the dynamics or, if there are
 * none, with more damping. */
static void ${name}_damp(struct ${name}_work *work)
{
    work->length = 0;
//if exact
    if (work->exact) {
        work->exact = 0;
        return;
    }
//end
    work->damping *= 10;
    if (!(work->damping >= $FIRST_DAMPING))
        work->damping = $FIRST_DAMPING;
    if (work->damping > $MOST_DAMPING)
        work->status = ${NAME}_STALLED;
}

static $real ${name}_less_damping($real damping)
{
    return damping > $FIRST_DAMPING ? $TENTH * damping : 0;
}

/* Whether a further step would gain less than the tolerance. */
static int ${name}_flat(const struct ${name}_work *work, $real within)
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    const $real scale = ${name}_absolute(work->cost) + $SMALL * work->first_cost;
//if gaps
    $real largest = 0;
    for (int k = 0; k <= ${NAME}_HORIZON; k++)
        for (int i = 0; i < ${NAME}_NX; i++)
            if (${name}_absolute(here->knots[k].x[i]) > largest)
                largest = ${name}_absolute(here->knots[k].x[i]);
    if (!(here->widest <= $sqrt(work->tolerance) * $NARROW * (1 + largest)))
        return 0;
//end
    return here->decrement <= within * scale;
}

//if constraints
/* The largest violation of the accepted trajectory. */
static $real ${name}_worst(const struct ${name}_work *work)
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    $real worst = 0;
//if stage_constraints
    for (int k = 0; k < ${NAME}_HORIZON; k++)
        for (int i = 0; i < $stage_count; i++) {
            const $real r = here->knots[k].residuals[i];
            const $real far = r > 0 || i >= $stage_inequalities ? ${name}_absolute(r) : 0;
            worst = far > worst ? far : worst;
        }
//end
//if end_constraints
    for (int i = 0; i < $end_count; i++) {
        const $real r = here->end_residuals[i];
        const $real far = r > 0 || i >= $end_inequalities ? ${name}_absolute(r) : 0;
        worst = far > worst ? far : worst;
    }
//end
    return worst;
}

/* The term of a constraint in the cost. */
static $real ${name}_adds(const struct ${name}_work *work, $real residual, $real m, int is_equality)
{
    const $real pull = m + work->penalty * residual, pushed = pull > 0 ? pull : 0;
    if (is_equality)
        return residual * (m + $HALF * work->penalty * residual);
    return $HALF * (pushed * pushed - m * m) / work->penalty;
}

/* The sum of these terms along the accepted trajectory. */
static $real ${name}_added(const struct ${name}_work *work)
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    $real added = 0;
//if stage_constraints
    for (int k = 0; k < ${NAME}_HORIZON; k++)
        for (int i = 0; i < $stage_count; i++)
            added += ${name}_adds(work, here->knots[k].residuals[i], here->knots[k].multipliers[i],
                                  i >= $stage_inequalities);
//end
//if end_constraints
    for (int i = 0; i < $end_count; i++)
        added += ${name}_adds(work, here->end_residuals[i], work->end_multipliers[i],
                              i >= $end_inequalities);
//end
    return added;
}

/* A penalty with which the first violations weigh about as much as the cost; if nothing is violated
 * yet, as if one constraint were violated by its mean size. */
static void ${name}_first_penalty(struct ${name}_work *work)
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    $real squares = 0, sizes = 0, cost = ${name}_absolute(here->total);
//if stage_constraints
    for (int k = 0; k < ${NAME}_HORIZON; k++)
        for (int i = 0; i < $stage_count; i++) {
            const $real r = here->knots[k].residuals[i];
            squares += r > 0 || i >= $stage_inequalities ? r * r : 0;
            sizes += r * r;
        }
//end
//if end_constraints
    for (int i = 0; i < $end_count; i++) {
        const $real r = here->end_residuals[i];
        squares += r > 0 || i >= $end_inequalities ? r * r : 0;
        sizes += r * r;
    }
//end
    cost = cost > $LEAST_COST ? cost : $LEAST_COST;
    sizes /= ${NAME}_HORIZON * $stage_count + $end_count;
    sizes = sizes > $UNVIOLATED ? sizes : $UNVIOLATED;
    squares = squares > $UNVIOLATED ? squares : sizes;
    work->penalty = 2 * $FIRST_WEIGHT * cost / squares;
    work->penalty = work->penalty < $LEAST_PENALTY ? $LEAST_PENALTY : work->penalty;
    work->penalty = work->penalty > $FIRST_PENALTY ? $FIRST_PENALTY : work->penalty;
}

/* The multipliers that result from the residuals. */
static void ${name}_pull(struct ${name}_work *work)
{
    struct ${name}_trajectory *here = &work->side[work->now];
//if stage_constraints
    for (int k = 0; k < ${NAME}_HORIZON; k++)
        for (int i = 0; i < $stage_count; i++) {
            struct ${name}_knot *knot = &here->knots[k];
            const $real pull = knot->multipliers[i] + work->penalty * knot->residuals[i];
            knot->multipliers[i] = pull > 0 || i >= $stage_inequalities ? pull : 0;
        }
//end
//if end_constraints
    for (int i = 0; i < $end_count; i++) {
        const $real pull = work->end_multipliers[i] + work->penalty * here->end_residuals[i];
        work->end_multipliers[i] = pull > 0 || i >= $end_inequalities ? pull : 0;
    }
//end
}

/* New multipliers at an optimum for the present ones; solved if constraints are satisfied there. */
static void ${name}_multiply(struct ${name}_work *work)
{
    const $real worst = ${name}_worst(work);
    const int kept = worst <= work->constraint_tolerance;
    if (kept && work->within <= work->tolerance) {
        work->status = ${NAME}_SOLVED;
        return;
    }
    work->within *= $TENTH;
    if (work->within < work->tolerance)
        work->within = work->tolerance;
    ${name}_pull(work);
    if (!kept && worst > $LEAST_PROGRESS * work->violation)
        work->penalty *= $MORE_PENALTY;
    work->violation = worst;
    if (work->penalty > $MOST_PENALTY)
        work->status = ${NAME}_INFEASIBLE;
    work->length = 0; /* the cost has changed */
}

//end
/* The costs of the accepted trajectory. */
static void ${name}_count(struct ${name}_work *work)
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    work->merit = work->cost = here->total;
//if constraints
    work->cost -= ${name}_added(work);
//end
    if (work->first_cost != work->first_cost)
        work->first_cost = ${name}_absolute(work->cost);
}

/* The action after a candidate was accepted: a further step, another law, or none. */
static void ${name}_accepted(struct ${name}_work *work)
{
    struct ${name}_trajectory *here = &work->side[work->now];
    const int moved = work->length > 0;
    const $real lower = ${name}_less_damping(work->damping);
    ${name}_count(work);
    work->iterations += moved;
    if (!${name}_sound(here)) { /* there is no optimal law */
        ${name}_flatten(here);
        ${name}_damp(work);
        return;
    }
    work->length = moved && work->length < $QUARTER ? 4 * work->length : 1;
    if (moved) {
        work->damping = lower;
//if exact
        work->exact = 1;
//end
    }
    if (!${name}_flat(work, work->$within))
        return;
    if (work->damping > $FIRST_DAMPING) { /* the model may be flat for that reason */
        work->length = 0;
        work->damping = lower;
        return;
    }
//if constraints
    ${name}_multiply(work);
//end
//if not constraints
    work->status = ${NAME}_SOLVED;
//end
}

/* Compute a candidate, and accept or reject it. */
static void ${name}_round(struct ${name}_work *work)
{
    const int stepping = work->length > 0;
    ${name}_go(work);
    ${name}_weigh(work, 1 - work->now);
    if (${name}_good(work)) {
        ${name}_judge(work, 1 - work->now);
        work->now = 1 - work->now;
        ${name}_accepted(work);
    } else if (!stepping) {
        work->status = ${NAME}_FAILED;
    } else {
        work->length *= $HALF;
        if (work->length < $SHORTEST)
            ${name}_damp(work);
    }
}

/* The initial trajectory. */
static void ${name}_begin(struct ${name}_work *work)
{
    struct ${name}_trajectory *here = &work->side[work->now];
    if (!work->guessed)
        for (int k = 0; k < ${NAME}_HORIZON; k++) {
$resting
        }
    for (int k = 0; k <= ${NAME}_HORIZON; k++)
        for (int i = 0; i < ${NAME}_NX; i++)
//if gaps
            if (!work->guessed || k == 0)
                here->knots[k].x[i] = work->given.x0[i];
//end
//if not gaps
            here->knots[k].x[i] = work->given.x0[i];
//end
    for (int i = 0; i < ${NAME}_NX; i++)
        work->side[1 - work->now].knots[0].x[i] = work->given.x0[i];
    ${name}_flatten(here);
    work->status = ${NAME}_OUT_OF_ITERATIONS;
    work->iterations = 0;
//if per_step
    work->before = 0;
//end
    work->cost = work->merit = here->total = INFINITY;
    work->first_cost = NAN;
    work->length = work->damping = 0;
//if gaps
    work->weight = work->rise = 0;
//end
//if exact
    work->exact = 0;
    for (int i = 0; i < ${NAME}_NDX; i++)
        work->flat[i] = 0;
//end
//if constraints
    work->within = work->tolerance > $LOOSE ? work->tolerance : $LOOSE;
    work->violation = INFINITY;
    work->penalty = 1;
//if stage_constraints
    for (int k = 0; k < ${NAME}_HORIZON; k++)
        for (int i = 0; i < $stage_count; i++)
            here->knots[k].multipliers[i] = 0;
//end
//if end_constraints
    for (int i = 0; i < $end_count; i++)
        work->end_multipliers[i] = 0;
//end
//end
    work->ready = 1;
//if judged_first
    ${name}_judge(work, work->now);
    ${name}_flatten(here);
//end
//if constraints
    ${name}_first_penalty(work);
//end
}

/* The cost of the trajectory after a step of this length: NaN or infinite if it is not finite. */
static $real ${name}_cost_of(struct ${name}_work *work, $real length)
{
    struct ${name}_trajectory *to = &work->side[1 - work->now];
    work->length = length;
    ${name}_go(work);
    ${name}_weigh(work, 1 - work->now);
    return to->total;
}

/* Shift by one step: the second knot becomes the first, and the last control is held. */
static void ${name}_shift(struct ${name}_work *work)
{
    struct ${name}_trajectory *to = &work->side[1 - work->now];
    for (int t = 0; t < ${NAME}_HORIZON; t++)
        for (int i = 0; i < ${NAME}_NX; i++)
            to->knots[t].x[i] = to->knots[t + 1].x[i];
    for (int t = 0; t + 1 < ${NAME}_HORIZON; t++)
        for (int i = 0; i < ${NAME}_NU; i++)
            to->knots[t].u[i] = to->knots[t + 1].u[i];
//if stage_constraints
    for (int t = 0; t + 1 < ${NAME}_HORIZON; t++)
        for (int i = 0; i < $stage_count; i++)
            to->knots[t].multipliers[i] = to->knots[t + 1].multipliers[i];
//end
//if not gaps
$hold
//end
}

/* The measured state x or, if it is not finite, the planned one. */
static void ${name}_measured(const struct ${name}_trajectory *here, const $real *x, $real *found)
{
    int finite = 1;
    for (int i = 0; i < ${NAME}_NX; i++)
        finite = finite && ${name}_finite(x[i]);
    for (int i = 0; i < ${NAME}_NX; i++)
        found[i] = finite ? x[i] : here->knots[0].x[i];
}

static int ${name}_improved(struct ${name}_work *work)
{
    struct ${name}_trajectory *here = &work->side[work->now], *there = &work->side[1 - work->now];
    $real best;
    int stepped = 1;
    ${name}_measured(here, work->given.x0, there->knots[0].x);
//if per_step
    work->before = 1;
//end
    best = ${name}_cost_of(work, 1);
//if gaps
    if (!${name}_finite(best)) {
        best = ${name}_cost_of(work, 0);
        stepped = 0;
    }
//end
//if not gaps
    if (!(best <= here->total)) {
        const $real held = ${name}_cost_of(work, 0);
        if (held < best || !${name}_finite(best)) {
            best = held;
            stepped = 0;
        } else {
            best = ${name}_cost_of(work, 1);
        }
    }
    if (!${name}_finite(best)) { /* the controls of the plan, without its law */
        ${name}_flatten(here);
        best = ${name}_cost_of(work, 0);
    }
//end
//if per_step
    work->before = 0;
//end
    if (!${name}_finite(best)) { /* a plan that never was finite is discarded */
        work->guessed = work->ready = ${name}_finite(here->total);
        return work->status = ${NAME}_FAILED;
    }
    if (stepped)
        work->damping = ${name}_less_damping(work->damping);
    else if (work->damping < $MOST_DAMPING)
        work->damping = work->damping < $FIRST_DAMPING ? $FIRST_DAMPING : 10 * work->damping;
//if exact
    work->exact = 0; /* full steps are for Gauss-Newton */
//end
    ${name}_shift(work);
    work->status = ${NAME}_OUT_OF_ITERATIONS;
    ${name}_judge(work, 1 - work->now);
    while (!${name}_sound(there) && work->status != ${NAME}_STALLED) {
        ${name}_damp(work);
        ${name}_judge(work, 1 - work->now);
    }
    work->now = 1 - work->now;
    ${name}_count(work);
    work->iterations += stepped;
    if (!${name}_sound(there))
        ${name}_flatten(there);
    else if (${name}_flat(work, work->tolerance))
        work->status = ${NAME}_SOLVED;
//if constraints
    work->violation = ${name}_worst(work);
    if (work->violation > work->constraint_tolerance && work->status == ${NAME}_SOLVED)
        work->status = ${NAME}_OUT_OF_ITERATIONS;
    ${name}_pull(work);
//end
    work->guessed = 1;
    return work->status;
}

/* At most `iterations` rounds from an initial trajectory. */
static int ${name}_search(struct ${name}_work *work, int iterations)
{
    int running = 1;
    if (iterations > 0)
        ${name}_begin(work);
    for (int times = 0; times < iterations && running; times++) {
        ${name}_round(work);
        running = work->status == ${NAME}_OUT_OF_ITERATIONS;
    }
//if constraints
    work->violation = ${name}_worst(work);
//end
    work->guessed = work->ready = work->status != ${NAME}_FAILED;
    return work->status;
}

/* The next plan: after two consecutive failures, one that starts from the state only. */
static int ${name}_prepared(struct ${name}_work *work)
{
    int status = ${name}_improved(work);
    if (status != ${NAME}_FAILED && status != ${NAME}_STALLED) {
        work->lost = 0;
        return status;
    }
    for (int i = 0; i < ${NAME}_NX; i++)
        if (!${name}_finite(work->given.x0[i]))
            return status;
    if (++work->lost < $LOST)
        return status;
    work->lost = work->guessed = 0;
    return ${name}_search(work, $ROUNDS);
}

$init_head
{
    for (int which = 0; which < 2; which++) {
        struct ${name}_trajectory *side = &work->side[which];
        ${name}_flatten(side);
        for (int k = 0; k <= ${NAME}_HORIZON; k++)
            for (int i = 0; i < ${NAME}_NX; i++)
                side->knots[k].x[i] = 0;
        for (int k = 0; k < ${NAME}_HORIZON; k++)
            for (int i = 0; i < ${NAME}_NU; i++)
                side->knots[k].u[i] = 0;
        side->total = INFINITY;
        side->gaps = side->bridged = side->decrement = 0;
    }
    work->tolerance = $TOLERANCE;
//if constraints
    work->constraint_tolerance = $CONSTRAINT_TOLERANCE;
//end
    work->now = work->guessed = work->ready = work->lost = 0;
    work->iterations = 0;
    work->cost = work->merit = INFINITY;
    work->status = ${NAME}_OUT_OF_ITERATIONS;
}

$guess_head
{
    struct ${name}_trajectory *here = &work->side[work->now];
//if limits
    static const $real lowest[${NAME}_NU] = {$lowest};
    static const $real highest[${NAME}_NU] = {$highest};
//end
    for (int k = 0; k < ${NAME}_HORIZON; k++)
        for (int i = 0; i < ${NAME}_NU; i++) {
            $real value = u[k * ${NAME}_NU + i];
//if limits
            value = value < lowest[i] ? lowest[i] : value;
            value = value > highest[i] ? highest[i] : value;
//end
            here->knots[k].u[i] = value;
        }
//if gaps
    for (int k = 0; k <= ${NAME}_HORIZON; k++)
        for (int i = 0; i < ${NAME}_NX; i++)
            here->knots[k].x[i] = x[k * ${NAME}_NX + i];
//end
    work->guessed = 1;
    work->ready = 0;
}

$solve_head
{
$take
    return ${name}_search(work, iterations);
}

const struct ${name}_trajectory *${name}_solution(const struct ${name}_work *work)
{
    return &work->side[work->now];
}

$feedback_head
{
    const struct ${name}_trajectory *here = &work->side[work->now];
    $real measured[${NAME}_NX];
    ${name}_measured(here, x, measured);
$feedback
}

$prepare_head
{
$take
    if (!work->ready)
        ${name}_begin(work);
    return ${name}_prepared(work);
}

$tick_head
{
$take
    if (!work->ready)
        ${name}_begin(work);
    ${name}_feedback(work, x0, u);
    return ${name}_prepared(work);
}
