/* Golden hashes: 64-bit FNV-1a over the statuses and results of all cases of a line, in the order of the walk. There
 * is one file for each operation. Its first line states the order version. */
#include "verify/match.h"
#include "verify/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = WEFT_F64 + 1, PARAMETERS = 7 };

/* Hashes by element type, index in MATCH_ACCUMULATES, parameter, and input kind; 0 if there is no case. */
typedef uint64_t hashes[TYPES][MATCH_ACCUMULATE_COUNT][PARAMETERS][INPUT_COUNT];

typedef struct golden {
    weft_context *ctx;
    hashes *by_operation;
    memory_out answer;
    size_t lines;
    char *problem;
} golden;

static uint64_t fnv(uint64_t hash, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool on_case(void *self, const match_case *c, const void *const *inputs) {
    golden *g = self;
    int accumulate = 0;
    while (MATCH_ACCUMULATES[accumulate] != c->accumulate) accumulate++;
    uint64_t *hash = &g->by_operation[c->operation - MATCH_OPERATIONS][c->dtype][accumulate][c->parameter][c->kind];
    void *const answer = memory_poison(&g->answer, c);
    const weft_status status = answer ? c->operation->shape->call(c, g->ctx, inputs, answer) : WEFT_OUT_OF_MEMORY;
    if (status != WEFT_OK && status != WEFT_EMPTY) {
        snprintf(g->problem, 512, "%s of %s: %s", c->operation->name, weft_dtype_name(c->dtype),
                 weft_last_error(g->ctx));
        return false;
    }
    const unsigned char code = (unsigned char)status;
    if (*hash == 0) *hash = UINT64_C(0xcbf29ce484222325);
    *hash = fnv(*hash, &code, 1);
    if (status == WEFT_OK) *hash = fnv(*hash, answer, match_out_bytes(c));
    return true;
}

/* ------------------------------------------------------------------------------------- text */

static void first_line(char line[160], const char *operation) {
    snprintf(line, 160, "order %d %s: type, accumulate, parameter, input, FNV-1a/64\n", weft_order_version(),
             operation);
}

static void hash_line(char line[160], int dtype, int accumulate, int parameter, int kind, uint64_t hash) {
    snprintf(line, 160, "%s %s %d %s %016llx\n", weft_dtype_name((weft_dtype)dtype),
             accumulate ? weft_dtype_name(MATCH_ACCUMULATES[accumulate]) : "default", parameter,
             input_name((input_kind)kind), (unsigned long long)hash);
}

static void line_end(char *line) { line[strcspn(line, "\n")] = '\0'; }

/* Writes the next line of a file, or compares it with the file's next line. */
static bool take_line(golden *g, FILE *file, bool write, const char *path, const char *line) {
    char found[160];
    if (write) return fputs(line, file) >= 0;
    if (!fgets(found, sizeof found, file)) strcpy(found, "nothing\n");
    if (strcmp(found, line) == 0) return true;
    line_end(found);
    snprintf(g->problem, 512, "%.200s: the file has \"%s\", computed: %s", path, found, line);
    line_end(g->problem);
    return false;
}

static bool take_hashes(golden *g, FILE *file, bool write, const char *path, const hashes *all) {
    char line[160];
    for (int d = 0; d < TYPES; d++)
        for (int a = 0; a < MATCH_ACCUMULATE_COUNT; a++)
            for (int p = 0; p < PARAMETERS; p++)
                for (int k = 0; k < INPUT_COUNT; k++) {
                    if ((*all)[d][a][p][k] == 0) continue;
                    hash_line(line, d, a, p, k, (*all)[d][a][p][k]);
                    if (!take_line(g, file, write, path, line)) return false;
                    g->lines++;
                }
    return true;
}

static bool take_file(golden *g, const char *directory, bool write, size_t operation) {
    const char *name = MATCH_OPERATIONS[operation].name;
    char path[1024], line[160];
    snprintf(path, sizeof path, "%s/%s.txt", directory, name);
    FILE *file = fopen(path, write ? "w" : "r");
    if (!file) {
        snprintf(g->problem, 512, "%.400s: cannot be opened", path);
        return false;
    }
    first_line(line, name);
    bool good =
        take_line(g, file, write, path, line) && take_hashes(g, file, write, path, &g->by_operation[operation]);
    if (good && !write && fgetc(file) != EOF) {
        snprintf(g->problem, 512, "%.400s: has more lines than were computed", path);
        good = false;
    }
    if (fclose(file) != 0 && good) {
        snprintf(g->problem, 512, "%.400s: cannot be written", path);
        good = false;
    }
    return good;
}

bool golden_run(const char *directory, const char *device, bool write, size_t *lines, char problem[512]) {
    golden g = {.problem = problem};
    const match_visitor visitor = {.self = &g, .visit = on_case};
    problem[0] = '\0';
    *lines = 0;
    if (weft_open(&g.ctx, device) != WEFT_OK) {
        snprintf(problem, 512, "%s: %s", device, weft_last_error(NULL));
        return false;
    }
    g.by_operation = calloc(MATCH_OPERATION_COUNT, sizeof *g.by_operation);
    if (!g.by_operation || !match_walk(MATCH_GOLDEN, NULL, &visitor))
        snprintf(problem, 512, "cannot allocate memory for the golden cases");
    bool good = problem[0] == '\0';
    for (size_t i = 0; i < MATCH_OPERATION_COUNT && good; i++) good = take_file(&g, directory, write, i);
    if (!good && problem[0] == '\0') snprintf(problem, 512, "%.400s: cannot be written", directory);
    *lines = g.lines;
    free(g.by_operation);
    memory_drop(&g.answer);
    weft_close(g.ctx);
    return good;
}
