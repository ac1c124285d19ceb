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

enum { /* what became of a problem */
$statuses
};

/* A step, and the law at its state: the control is u + K dx (row-major), within its limits, where dx
 * is how far the state is from x. After the last step there is a state alone. */
struct ${name}_knot {
    $real x[${NAME}_NX];
    $real u[${NAME}_NU];
    $real k[${NAME}_NU]; /* what a further step would add to u */
    $real K[${NAME}_NU * ${NAME}_NDX];
    $real costates[${NAME}_NDX]; /* slopes of the cost of the rest by the state */
//if kept
$kept
//end
};

struct ${name}_trajectory {
    struct ${name}_knot knots[${NAME}_HORIZON + 1];
    $real total; /* the cost, with what constraints add to it */
    $real gaps, widest; /* between states and the steps that lead to them: the sum, the largest */
    $real steepest; /* the largest slope of the cost by a control that may still move */
    $real bridged, decrement, least, broken;
//if end_constraints
    $real end_residuals[$end_count];
//end
};

/* All memory of a solver. What you may read and write is above the line. */
struct ${name}_work {
    $real tolerance; /* solved is where a further step would gain less, relative to the cost */
//if constraints
    $real constraint_tolerance; /* by which constraints may be violated */
    $real violation; /* the largest one */
//end
    $real cost;
    int status; /* as above */
    int iterations; /* steps that were accepted */

    /* ---- */
    struct ${name}_trajectory side[2];
    int now; /* the side that is accepted */
    int guessed; /* whether it has controls to begin with */
    int ready; /* whether it has a law, too */
    int lost; /* ticks in a row that came to nothing */
    $real merit; /* the cost, with what constraints add to it */
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
    } given; /* arguments of the call that is under way */
};

/* Forget all, and set the tolerance. Do it first. */
$init_head;

/* Begin with these controls the next time, not with those of the last trajectory. */
$guess_head;

/* Search for the best controls from the state x0, for at most so many rounds: each makes a step
 * that is taken or refused. It begins with the controls of the last call, if there was one; after
 * ${name}_init $rest. Returns the status. */
$solve_head;

/* The trajectory that was found. */
const struct ${name}_trajectory *${name}_solution(const struct ${name}_work *work);

/* For control in real time, once per step: the control for the state x that was measured, by the law
 * of the plan, so it takes next to no time. It is within its limits; where x is not finite, it is the
 * one that was planned. A plan is made by the others, below and above. */
$feedback_head;

//if constraints
/* One iteration does not keep constraints other than limits of controls: ticks approach them, and
 * may leave them by work->violation or, after large steps, for good. Where they matter, call
 * ${name}_solve at every tick, or let the cost rise where they are violated. */
//end
/* Then the next plan: one iteration from x0, the same state, and shifted by one step, so that it
 * begins when the next state is measured. $stepping
 * Parameters are those of the next plan, too; they act from the next step on. Without a plan, the one
 * to begin with is made first. Returns the status: FAILED where no trajectory is finite, and the last
 * plan stays; SOLVED is not needed. After FAILED or STALLED twice in a row it is
 * searched for anew from x0, in up to $ROUNDS rounds. */
$prepare_head;

/* Both in one call. */
$tick_head;

#ifdef __cplusplus
}
#endif

#endif
