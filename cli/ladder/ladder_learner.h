/* Files of learners: the rung or the exercise that such a file is about, its compilation, and its run. */
#ifndef WEFT_CLI_LADDER_LEARNER_H
#define WEFT_CLI_LADDER_LEARNER_H

#include "cli/ladder/ladder_climb.h"

#include <limits.h>

/* A rung or an exercise of a topic; the other one is NULL. */
typedef struct ladder_part {
    const ladder_topic_text *topic;
    const ladder_rung_text *rung;
    const ladder_exercise_text *exercise;
} ladder_part;

/* Find what `name` names. Print the error and return NULL or false if there is no such thing. */
const ladder_topic_text *ladder_find_topic(const char *name);
const ladder_rung_text *ladder_find_rung(const ladder_topic_text *topic, const char *name);
/* "TOPIC/NAME", or "TOPIC" for its exercise `own`. */
bool ladder_find_part(const char *name, ladder_part *part);
/* Returns the rung of that name, or NULL. */
const ladder_rung_text *ladder_look_up(const ladder_topic_text *topic, const char *name);

/* Returns true if the topic's elements may be of that type. */
bool ladder_takes(const ladder_topic_text *topic, const char *type);
/* Copies the name of the topic's default type. */
void ladder_first_type(const ladder_topic_text *topic, char type[8]);
weft_dtype ladder_dtype(const char *name);

/* How files are tried. */
typedef struct ladder_trial {
    const cli_options *options;
    long long n; /* 0: the sizes of the exercise or the topic */
    unsigned seed;
    const char *dtype; /* of rungs; NULL: the topic's default */
    int seconds;       /* limit of a run */
    bool watch;
    bool compare; /* also time the topic's rungs on a GPU */
} ladder_trial;

/* Result of one size, in the two orders of threads that the executor tries. */
typedef struct learner_row {
    size_t n;
    ladder_row row; /* its strings are not used */
    char said[600];
} learner_row;

enum { LEARNER_ROWS_MAX = 40, LEARNER_SCHEDULES = 2 };

/* Rung of the topic that a learner's time is compared with. */
typedef struct learner_peer {
    char name[40];
    double seconds;
} learner_peer;

typedef struct learner_result {
    const char *path;
    ladder_part part;
    char machine[256];
    bool gpu, right;
    char sentence[1200]; /* why the file is not right; "" if it is */
    size_t count;
    learner_row rows[LEARNER_ROWS_MAX];
    uint64_t hash;
    int points; /* for traffic, 0 to 10; -1 if it is not right, or not counted */
    size_t peer_count;
    learner_peer peers[LADDER_RUNGS_MAX];
} learner_result;

/* Finds out which rung or exercise the file is about. Writes a sentence and returns false if it does not say. */
bool learner_identify(const char *path, ladder_part *part, char *error, size_t error_size);

/* A library made of a learner's file. */
typedef struct learner_library {
    char directory[PATH_MAX / 2], library[PATH_MAX];
} learner_library;

/* Compiles the file for the executor, or for a GPU. The compiler prints its errors on stderr. Returns false and
 * writes a sentence on failure. learner_remove removes the files made, in either case. */
bool learner_compile(const char *path, const ladder_part *part, bool gpu, learner_library *made, char *error,
                     size_t error_size);
void learner_remove(const learner_library *made);
/* Returns true if files can be compiled for a GPU here. */
bool learner_has_gpu(void);

/* Compiles and runs the file on a machine. The file's code runs in a process of its own. */
void learner_try(const char *path, const ladder_trial *trial, bool gpu, learner_result *result);
void learner_print(const learner_result *result);
void learner_print_json(const learner_result *result);

/* The commands `weft ladder new`, `try`, `hint` and `grade`. They return the exit code. */
int ladder_new(int count, char **operands);
int ladder_hint(int count, char **operands, bool all);
int ladder_try(const ladder_trial *trial, int count, char **operands);
int ladder_grade(const ladder_trial *trial, int count, char **operands);
void ladder_list_exercises(const ladder_topic_text *topic);

#endif
