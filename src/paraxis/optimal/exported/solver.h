$comment

#ifndef PARAXIS_${NAME}_H
#define PARAXIS_${NAME}_H

#ifdef __cplusplus
extern "C" {
#endif

enum { /* sizes */
    ${NAME}_HORIZON = $N, /* steps */
    ${NAME}_NX = $nx, /* numbers of a state */
    ${NAME}_NDX = $ndx, /* its directions */
    ${NAME}_NU = $nu /* controls */
};

enum { /* status of a problem */
$statuses
};

/* A step, and the law at its state: the control is u + K dx (row-major), within its limits, where
 * dx is the difference of the state from x. The last knot only has a state. */
struct ${name}_knot {
    $real x[${NAME}_NX];
    $real u[${NAME}_NU];
    $real k[${NAME}_NU]; /* the change of u in a further step */
    $real K[${NAME}_NU * ${NAME}_NDX];
    $real costates[${NAME}_NDX]; /* gradient of the remaining cost with respect to the state */
//if kept
$kept
//end
};

struct ${name}_trajectory {
    struct ${name}_knot knots[${NAME}_HORIZON + 1];
    $real total; /* the cost including the terms of constraints */
    $real gaps, widest; /* between states and the steps that lead to them: the sum, the largest */
    $real steepest; /* the largest derivative of the cost by a control that is not at its limit */
    $real bridged, decrement, least, broken;
//if end_constraints
    $real end_residuals[$end_count];
//end
};

/* All memory of a solver. Members above the line may be read and written. */
struct ${name}_work {
    $real tolerance; /* solved if a further step would gain less, relative to the cost */
//if constraints
    $real constraint_tolerance; /* allowed violation of constraints */
    $real violation; /* the largest violation */
//end
    $real cost;
    int status; /* as above */
    int iterations; /* number of accepted steps */

    /* ---- */
    struct ${name}_trajectory side[2];
    int now; /* the accepted side */
    int guessed; /* whether it has initial controls */
    int ready; /* whether it also has a law */
    int lost; /* consecutive ticks without a new plan */
    $real merit; /* the cost including the terms of constraints */
    $real length, damping, first_cost;
//if gaps
    $real weight, rise;
//end
$scratch
    struct {
        const $real *x0;
//if parameters
$given
//end
    } given; /* arguments of the current call */
};

/* Initialise the memory and the tolerance. Call this first. */
$init_head;

/* Set the initial controls of the next call, instead of those of the last trajectory. */
$guess_head;

/* Search for the optimal controls from the state x0, in at most `iterations` rounds; in each, a
 * step is accepted or rejected. It begins with the controls of the last call, if there was one;
 * after ${name}_init $rest. Returns the status. */
$solve_head;

/* The trajectory found. */
const struct ${name}_trajectory *${name}_solution(const struct ${name}_work *work);

/* For real-time control, once per step: the control for the measured state x, by the law of the
 * plan, which takes very little time. It is within its limits; if x is not finite, it is the
 * planned control. Plans are computed by the other functions. */
$feedback_head;

//if constraints
/* One iteration does not satisfy constraints other than limits of controls: ticks approach them,
 * and may violate them by work->violation or, after large steps, permanently. If they matter, call
 * ${name}_solve at every tick, or add a cost for their violation. */
//end
/* Then the next plan: one iteration from x0, the same state, shifted by one step, so that it begins
 * when the next state is measured. $stepping
 * Parameters are those of the next plan, which takes effect at the next step. Without a plan, the
 * initial one is computed first. Returns the status: FAILED if no trajectory is finite, in which
 * case the last plan stays; SOLVED is not required. After FAILED or STALLED twice in a row, the
 * plan is searched anew from x0, in up to $ROUNDS rounds. */
$prepare_head;

/* Both in one call. */
$tick_head;

#ifdef __cplusplus
}
#endif

#endif
