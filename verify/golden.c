/* Golden hashes: 64-bit FNV-1a over the statuses and results of all cases of a type, accumulate type, parameter and
 * input, in the order of the walk. Each operation has one file, with lines of this form:
 *
 *   order VERSION OPERATION: FNV-1a/64 of the results by input
 *   type accumulate parameter            mixed          uniform ...
 *   f32  default            0 839b9accf77dfebd                - ...
 *
 * The second line names the columns: the inputs of inputs.def that the operation has cases for, in that order. Every
 * further line contains the hashes of one type, accumulate type and parameter; "-" means that there is no case. */
#include "verify/match.h"
#include "verify/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = WEFT_BF16 + 1, PARAMETERS = 12 };
enum { LABELS = 25, CELL = 17, LINE = LABELS + CELL * INPUT_COUNT + 2 }; /* characters */

/* Hashes by input kind; 0 if there is no case. */
typedef uint64_t hash_row[INPUT_COUNT];

/* Rows by element type, index in MATCH_ACCUMULATES, and parameter. */
typedef hash_row hashes[TYPES][MATCH_ACCUMULATE_COUNT][PARAMETERS];

typedef struct golden {
    weft_context *ctx;
    hashes *by_operation;
    memory_out answer;
    size_t count; /* of hashes written or compared */
    char *problem;
} golden;

/* The file of one operation. */
typedef struct golden_file {
    golden *all;
    const hashes *hashes;
    const char *path;
    FILE *file;
    bool write;
    bool used[INPUT_COUNT]; /* inputs that have a column */
    char heading[LINE];     /* second line */
} golden_file;

static uint64_t fnv(uint64_t hash, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool on_case(void *self, const match_case *c, const void *const *inputs) {
    golden *g = self;
    int accumulate = 0;
    if (c->parameter >= PARAMETERS) {
        snprintf(g->problem, 512, "%s: parameter %d, the golden files have %d", c->operation->name, c->parameter,
                 PARAMETERS);
        return false;
    }
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
    if (status == WEFT_OK) {
        match_convert(c, answer);
        *hash = fnv(*hash, answer, match_out_bytes(c));
    }
    return true;
}

/* ------------------------------------------------------------------------------------- text */

static bool has_hash(const hash_row row) {
    for (int k = 0; k < INPUT_COUNT; k++)
        if (row[k] != 0) return true;
    return false;
}

static void find_columns(golden_file *f) {
    for (int d = 0; d < TYPES; d++)
        for (int a = 0; a < MATCH_ACCUMULATE_COUNT; a++)
            for (int p = 0; p < PARAMETERS; p++)
                for (int k = 0; k < INPUT_COUNT; k++)
                    if ((*f->hashes)[d][a][p][k] != 0) f->used[k] = true;
}

static void write_heading(golden_file *f) {
    size_t length = (size_t)snprintf(f->heading, LINE, "%-4s %-10s %9s", "type", "accumulate", "parameter");
    for (int k = 0; k < INPUT_COUNT; k++)
        if (f->used[k])
            length += (size_t)snprintf(f->heading + length, LINE - length, "%*s", CELL, input_name((input_kind)k));
    snprintf(f->heading + length, LINE - length, "\n");
}

static void write_row(const golden_file *f, char line[LINE], int dtype, int accumulate, int parameter) {
    const uint64_t *row = (*f->hashes)[dtype][accumulate][parameter];
    size_t length =
        (size_t)snprintf(line, LINE, "%-4s %-10s %9d", weft_dtype_name((weft_dtype)dtype),
                         accumulate ? weft_dtype_name(MATCH_ACCUMULATES[accumulate]) : "default", parameter);
    for (int k = 0; k < INPUT_COUNT; k++) {
        char text[CELL] = "-";
        if (!f->used[k]) continue;
        if (row[k] != 0) snprintf(text, sizeof text, "%016llx", (unsigned long long)row[k]);
        length += (size_t)snprintf(line + length, LINE - length, "%*s", CELL, text);
        f->all->count += row[k] != 0;
    }
    snprintf(line + length, LINE - length, "\n");
}

static void line_end(char *line) { line[strcspn(line, "\n")] = '\0'; }

/* Describes the first difference of two lines: the row and the column of a cell, or the beginnings of both lines. */
static void describe(const golden_file *f, const char *found, const char *line) {
    char *problem = f->all->problem;
    size_t at = 0;
    while (found[at] == line[at]) at++;
    char type[16], accumulate[16], parameter[16];
    const bool labels = sscanf(line, "%15s %15s %15s", type, accumulate, parameter) == 3;
    if (labels && at >= LABELS && f->heading[0] != '\0') {
        const size_t start = at - (at - LABELS) % CELL;
        char column[CELL + 1] = "no column";
        if (start < strlen(f->heading)) sscanf(f->heading + start, "%17s", column);
        snprintf(problem, 512, "%.200s: %s %s %s, %s: the file has%.17s, computed%.17s", f->path, type, accumulate,
                 parameter, column, found + start, line + start);
    } else {
        snprintf(problem, 512, "%.200s: the file has \"%.100s\", computed: %.100s", f->path, found, line);
    }
    line_end(problem);
}

/* Writes the next line of a file, or compares it with the file's next line. */
static bool take_line(const golden_file *f, const char *line) {
    char found[LINE + 1];
    if (f->write) return fputs(line, f->file) >= 0;
    if (!fgets(found, sizeof found, f->file)) strcpy(found, "nothing\n");
    if (strcmp(found, line) == 0) return true;
    line_end(found);
    describe(f, found, line);
    return false;
}

static bool take_lines(golden_file *f, const char *operation) {
    char line[LINE];
    snprintf(line, sizeof line, "order %d %s: FNV-1a/64 of the results by input\n", weft_order_version(), operation);
    if (!take_line(f, line)) return false;
    find_columns(f);
    write_heading(f);
    if (!take_line(f, f->heading)) return false;
    for (int d = 0; d < TYPES; d++)
        for (int a = 0; a < MATCH_ACCUMULATE_COUNT; a++)
            for (int p = 0; p < PARAMETERS; p++) {
                if (!has_hash((*f->hashes)[d][a][p])) continue;
                write_row(f, line, d, a, p);
                if (!take_line(f, line)) return false;
            }
    return true;
}

static bool take_file(golden *g, const char *directory, bool write, size_t operation) {
    const char *name = MATCH_OPERATIONS[operation].name;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.txt", directory, name);
    golden_file f = {.all = g, .hashes = &g->by_operation[operation], .path = path, .write = write};
    f.file = fopen(path, write ? "w" : "r");
    if (!f.file) {
        snprintf(g->problem, 512, "%.400s: cannot be opened", path);
        return false;
    }
    bool good = take_lines(&f, name);
    if (good && !write && fgetc(f.file) != EOF) {
        snprintf(g->problem, 512, "%.400s: has more lines than were computed", path);
        good = false;
    }
    if (fclose(f.file) != 0 && good) {
        snprintf(g->problem, 512, "%.400s: cannot be written", path);
        good = false;
    }
    return good;
}

bool golden_run(const char *directory, const char *device, const match_operation *only, bool write, size_t *count,
                char problem[512]) {
    golden g = {.problem = problem};
    const match_visitor visitor = {.self = &g, .visit = on_case};
    problem[0] = '\0';
    *count = 0;
    if (weft_open(&g.ctx, device) != WEFT_OK) {
        snprintf(problem, 512, "%s: %s", device, weft_last_error(NULL));
        return false;
    }
    g.by_operation = calloc(MATCH_OPERATION_COUNT, sizeof *g.by_operation);
    if ((!g.by_operation || !match_walk(MATCH_GOLDEN, only, &visitor)) && problem[0] == '\0')
        snprintf(problem, 512, "cannot allocate memory for the golden cases");
    bool good = problem[0] == '\0';
    for (size_t i = 0; i < MATCH_OPERATION_COUNT && good; i++)
        if (!only || only == &MATCH_OPERATIONS[i]) good = take_file(&g, directory, write, i);
    if (!good && problem[0] == '\0') snprintf(problem, 512, "%.400s: cannot be written", directory);
    *count = g.count;
    free(g.by_operation);
    memory_drop(&g.answer);
    weft_close(g.ctx);
    return good;
}
