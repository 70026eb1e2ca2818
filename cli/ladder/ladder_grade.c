/* weft ladder grade: tries all files of learners in a directory. */
#include "cli/io/json.h"
#include "cli/ladder/ladder_learner.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file_list {
    char **paths;
    size_t count, capacity;
} file_list;
static file_list found; /* nftw passes no pointer to its function */
static int path_width;  /* of the table's first column */

static int note(const char *path, const struct stat *state, int type, struct FTW *at) {
    const char *const suffix = strrchr(path, '.');
    (void)state, (void)at;
    if (type != FTW_F || !suffix || strcmp(suffix, ".cu") != 0) return 0;
    if (found.count == found.capacity) {
        found.capacity = 2 * found.capacity + 16;
        char **const more = realloc(found.paths, found.capacity * sizeof *more);
        if (!more) return errno = ENOMEM, -1;
        found.paths = more;
    }
    if ((int)strlen(path) > path_width) path_width = (int)strlen(path);
    found.paths[found.count] = strdup(path);
    return found.paths[found.count] ? (found.count++, 0) : -1;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Prints the first sentence of a result. */
static void print_result(const learner_result *r) {
    char name[80] = "-", hash[20] = "-", points[16] = "-";
    if (r->part.topic)
        snprintf(name, sizeof name, "%s/%s", r->part.topic->name,
                 r->part.exercise ? r->part.exercise->name : r->part.rung->name);
    if (r->right) snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    if (r->points >= 0) snprintf(points, sizeof points, "%d", r->points);
    printf("%-*s  %-24s  %-7s  %-16s  %7s", path_width, r->path, name, r->right ? "right" : "WRONG", hash, points);
    if (*r->sentence) printf("  %s", r->sentence);
    putchar('\n');
    fflush(stdout);
}

int ladder_grade(const ladder_trial *trial, int count, char **operands) {
    static learner_result r;
    size_t right = 0;
    const bool json = trial->options->json;
    const char *const device = trial->options->device;
    if (count != 1) {
        cli_error("ladder", "grade: expected one directory");
        return CLI_USAGE;
    }
    if (nftw(operands[0], note, 16, FTW_PHYS) != 0) {
        cli_error("ladder", "%s: %s", operands[0], strerror(errno));
        return CLI_FAILED;
    }
    if (found.count == 0) {
        cli_error("ladder", "%s contains no file *.cu", operands[0]);
        return CLI_FAILED;
    }
    qsort(found.paths, found.count, sizeof *found.paths, by_name);
    if (json) {
        json_begin_command("ladder");
        json_begin_array("files");
    } else {
        printf("%-*s  %-24s  %-7s  %-16s  %7s\n", path_width, "file", "exercise", "verdict", "hash", "traffic");
    }
    for (size_t i = 0; i < found.count; i++) {
        learner_try(found.paths[i], trial, device && strncmp(device, "cuda", 4) == 0, &r);
        (json ? learner_print_json : print_result)(&r);
        right += r.right;
        free(found.paths[i]);
    }
    free(found.paths);
    if (json) {
        json_end();
        json_count("right", right);
        json_count("count", found.count);
        json_end();
    } else {
        printf("%zu of %zu files are right\n", right, found.count);
    }
    return right == found.count ? CLI_DONE : CLI_FAILED;
}
