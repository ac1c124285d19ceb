/* Dynamics of a serial chain in `real`, which is wider than double: see chain_reference.py, whose
   NumPy functions are the same page in another language. Six-vectors are angular first. */

#include <stdlib.h>

#ifdef QUAD
#include <quadmath.h>
typedef __float128 real;
#define SIN sinq
#define COS cosq
#else
#include <math.h>
typedef long double real;
#define SIN sinl
#define COS cosl
#endif

typedef struct {
    long n;
    const unsigned char *revolute;
    const double *rotation, *origin, *mass, *moment, *inertia, *rotor, *gravity;
} Links;

typedef struct {  /* of one link at one state */
    real X[6][6];            /* accelerations: parent's frame to body's */
    real c[6], bias[6];      /* acceleration and force that velocities alone make */
    real U[6], D, u;         /* the joint's column of inertia, its own entry, what is left for it */
} Link;

static void cross(const real *a, const real *b, real *out)
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = a[l] * b[m] - a[m] * b[l];
    }
}

static void spun(const real *w, const real *arm, real *out)
{
    real across[3];
    cross(w, arm, across);
    cross(w, across, out);
}

/* The nearest rotation to one given in double: a step of Newton, which squares the error. */
static void orthonormal(const double *given, real R[3][3])
{
    real gram[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            gram[i][j] = i == j ? 3 : 0;
            for (int k = 0; k < 3; k++)
                gram[i][j] -= (real)given[3 * k + i] * given[3 * k + j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            R[i][j] = 0;
            for (int k = 0; k < 3; k++)
                R[i][j] += given[3 * i + k] * gram[k][j] / 2;
        }
}

static void inertia_of(const Links *links, long i, real I[6][6])
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const double *h = links->moment + 3 * i;
    const real skew[3][3] = {{0, -h[2], h[1]}, {h[2], 0, -h[0]}, {-h[1], h[0], 0}};
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            I[j][k] = links->inertia[6 * i + place[j][k]];
            I[j][3 + k] = skew[j][k];
            I[3 + j][k] = skew[k][j];
            I[3 + j][3 + k] = j == k ? links->mass[i] : 0;
        }
}

/* From the parent's angular velocity to the body's, and what follows from positions and rates. */
static void move(const Links *links, long i, real q, real qd, real *w, Link *link)
{
    int turns = links->revolute[i];
    real seat[3][3], R[3][3], r[3], I[6][6];
    real c = turns ? COS(q) : 1, s = turns ? SIN(q) : 0;
    orthonormal(links->rotation + 9 * i, seat);
    for (int k = 0; k < 3; k++) {
        R[k][0] = seat[k][0] * c + seat[k][1] * s;
        R[k][1] = seat[k][1] * c - seat[k][0] * s;
        R[k][2] = seat[k][2];
        r[k] = links->origin[3 * i + k] + (turns ? 0 : seat[k][2] * q);
    }
    real swing[3], here[3] = {0, 0, 0}, column[3], across[3];
    spun(w, r, swing);
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++)
            column[j] = R[j][k];
        cross(column, r, across);
        link->c[k] = link->c[3 + k] = 0;
        for (int j = 0; j < 3; j++) {
            link->X[k][j] = link->X[3 + k][3 + j] = R[j][k];
            link->X[k][3 + j] = 0;
            link->X[3 + k][j] = -across[j];
            here[k] += R[j][k] * w[j];
            link->c[3 + k] += R[j][k] * swing[j];
        }
    }
    if (turns) {
        link->c[0] = here[1] * qd;
        link->c[1] = -here[0] * qd;
        here[2] += qd;
    } else {
        link->c[3] += 2 * here[1] * qd;
        link->c[4] -= 2 * here[0] * qd;
    }
    for (int k = 0; k < 3; k++)
        w[k] = here[k];
    inertia_of(links, i, I);
    real momentum[3] = {0, 0, 0}, h[3];
    for (int k = 0; k < 3; k++) {
        h[k] = links->moment[3 * i + k];
        for (int j = 0; j < 3; j++)
            momentum[k] += I[k][j] * w[j];
    }
    cross(w, momentum, link->bias);
    spun(w, h, link->bias + 3);
}

static Link *moved(const Links *links, const long double *q, const long double *qd)
{
    Link *link = malloc(links->n * sizeof *link);
    real w[3] = {0, 0, 0};
    for (long i = 0; link && i < links->n; i++)
        move(links, i, q[i], qd[i], w, link + i);
    return link;
}

static void rise(const Links *links, real *a)
{
    for (int k = 0; k < 3; k++) {
        a[k] = 0;
        a[3 + k] = -(real)links->gravity[k];
    }
}

static void ahead(const Link *link, real *a)  /* the acceleration that the parent gives */
{
    real given[6];
    for (int k = 0; k < 6; k++) {
        given[k] = link->c[k];
        for (int j = 0; j < 6; j++)
            given[k] += link->X[k][j] * a[j];
    }
    for (int k = 0; k < 6; k++)
        a[k] = given[k];
}

static void back(const Link *link, const real *f, real *out)  /* a force, seen by the parent */
{
    for (int k = 0; k < 6; k++) {
        out[k] = 0;
        for (int j = 0; j < 6; j++)
            out[k] += link->X[j][k] * f[j];
    }
}

/* Articulated bodies. 1 when there is no memory. */
int forward_dynamics(const Links *links, const long double *q, const long double *qd,
                     const long double *tau, long double *qdd)
{
    Link *link = moved(links, q, qd);
    real A[6][6], beyond[6][6] = {{0}}, p[6], push[6] = {0}, half[6][6], a[6];
    if (!link)
        return 1;
    for (long i = links->n - 1; i >= 0; i--) {
        Link *here = link + i;
        int s = links->revolute[i] ? 2 : 5;
        inertia_of(links, i, A);
        for (int k = 0; k < 6; k++) {
            p[k] = push[k] + here->bias[k];
            for (int j = 0; j < 6; j++)
                A[k][j] += beyond[k][j];
            here->U[k] = A[k][s];
        }
        here->D = here->U[s] + links->rotor[i];
        here->u = tau[i] - p[s];
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < 6; j++)
                A[k][j] -= here->U[k] * here->U[j] / here->D;
            p[k] += here->U[k] * (here->u / here->D);
        }
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) {
                p[k] += A[k][j] * here->c[j];
                half[k][j] = 0;
                for (int l = 0; l < 6; l++)
                    half[k][j] += A[k][l] * here->X[l][j];
            }
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) {
                beyond[k][j] = 0;
                for (int l = 0; l < 6; l++)
                    beyond[k][j] += here->X[l][k] * half[l][j];
            }
        back(here, p, push);
    }
    rise(links, a);
    for (long i = 0; i < links->n; i++) {
        real left = link[i].u;
        ahead(link + i, a);
        for (int k = 0; k < 6; k++)
            left -= link[i].U[k] * a[k];
        left /= link[i].D;
        a[links->revolute[i] ? 2 : 5] += left;
        qdd[i] = left;
    }
    free(link);
    return 0;
}

/* Newton-Euler. `load`: squares of the moment (the force, where a joint slides) at each joint. */
int inverse_dynamics(const Links *links, const long double *q, const long double *qd,
                     const long double *qdd, long double *tau, long double *load)
{
    Link *link = moved(links, q, qd);
    real I[6][6], a[6], f[6] = {0};
    if (!link)
        return 1;
    rise(links, a);
    for (long i = 0; i < links->n; i++) {
        ahead(link + i, a);
        a[links->revolute[i] ? 2 : 5] += qdd[i];
        inertia_of(links, i, I);
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++)
                link[i].bias[k] += I[k][j] * a[j];
    }
    for (long i = links->n - 1; i >= 0; i--) {
        const real *part;
        for (int k = 0; k < 6; k++)
            f[k] += link[i].bias[k];
        part = links->revolute[i] ? f : f + 3;
        tau[i] = part[2] + links->rotor[i] * (real)qdd[i];
        load[i] = part[0] * part[0] + part[1] * part[1] + part[2] * part[2];
        back(link + i, f, a);
        for (int k = 0; k < 6; k++)
            f[k] = a[k];
    }
    free(link);
    return 0;
}
