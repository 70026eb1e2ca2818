/* Interface between `weft ladder` and the two libraries that run its
 * kernels, which are built from the same sources.
 * libweft_ladder_executor.so runs the kernels on the CPU, one thread after
 * another; libweft_ladder_cuda.so runs them on a GPU. Each exports one
 * function, ladder_machine. */
#ifndef WEFT_LADDER_LADDER_H
#define WEFT_LADDER_LADDER_H

#include "weft.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increased whenever anything below changes. */
#define LADDER_INTERFACE 4

typedef enum ladder_schedule {
    LADDER_FORWARD,
    LADDER_BACKWARD,
    LADDER_RANDOM
} ladder_schedule;

/* Parameters of a run. */
typedef struct ladder_call {
    const char *topic;
    const char *rung; /* only this one; NULL: all */
    size_t n;
    weft_dtype dtype;
    bool accesses;            /* keep accesses of a warp, on the executor */
    bool faulty;              /* also the rungs that are wrong on purpose */
    ladder_schedule schedule; /* of the executor's threads */
    /* Seed of LADDER_RANDOM and of the inputs of an exercise */
    unsigned seed;
} ladder_call;

typedef enum ladder_verdict {
    LADDER_RIGHT,
    LADDER_WRONG, /* a result differs, a launch failed, threads raced */
    /* Wrong, as expected, in a rung that is wrong on purpose */
    LADDER_CAUGHT,
    /* A rung that is wrong on purpose, and gave the
     * right result this time */
    LADDER_LUCKY,
    LADDER_NOT_RUN /* not at this size, or not on this machine */
} ladder_verdict;

/* Requests: access instructions of a warp. `moved`: sectors of 32 bytes of
 * global memory, or wavefronts of shared memory. `least`: as few as the
 * bytes of the requests need. */
typedef struct ladder_requests {
    uint64_t requests, moved, least;
} ladder_requests;

/* A request of a warp: the first one of its site. */
typedef struct ladder_access {
    char line[64]; /* FILE:LINE, or "" */
    bool is_load, is_shared;
    unsigned bytes; /* of each lane */
    uint32_t lanes; /* that take part: one bit each */
    /* Offset in the allocation, or in shared memory, by lane */
    uint64_t offset[32];
    unsigned moved, least;
} ladder_access;

/* Result of a rung. */
typedef struct ladder_row {
    const char *rung;
    ladder_verdict verdict;
    /* A sentence: the error, the reason why it did not run, or what was
     * shown; or "" */
    const char *said;
    /* Size of the run: less than the topic's on a GPU, if that would take
     * too long */
    size_t n;
    bool timed;          /* on a GPU */
    double seconds;      /* of one run */
    double bytes, flops; /* minimum that the topic's result needs */
    /* On the executor: counts of what the kernels did. */
    uint64_t read, written, shared, atomics, barriers;
    /* FNV-1a hash of the results that were compared, in a learner's file */
    uint64_t hash;
    ladder_requests loads, stores, in_shared;
    const ladder_access *accesses; /* if the call requests them */
    size_t access_count;
} ladder_row;

typedef struct ladder_machine_info {
    int interface; /* LADDER_INTERFACE */
    char name[256];
    bool gpu;
    /* Speeds of a copy, with reads and writes counted,
     * and of f32; 0: unknown */
    double bytes_a_second, flops_a_second;
    /* Runs a topic and reports each rung, in order. On failure, returns
     * false with a sentence in `error`. */
    bool (*climb)(const ladder_call *call,
                  void (*tell)(void *state, const ladder_row *row),
                  void *state, char *error, size_t error_size);
} ladder_machine_info;

/* Describes the machine. If there is none, returns false
 * with a sentence in `error`. */
#define LADDER_ENTRY "ladder_machine"
typedef bool (*ladder_entry)(ladder_machine_info *info, char *error,
                             size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
