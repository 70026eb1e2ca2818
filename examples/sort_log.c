/* Sorts lines of logs by the time they begin with, e.g. of several machines together: cat *.log | sort_log
 * A time is 2026-11-21T17:05:33 with T or a space in it. The sort is stable: lines of one second stay in their order,
 * and a line without a time stays after the line that it follows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

/* Seconds of a calendar that is never shorter than the real one: enough to compare. -1: the line has no time. */
static int64_t time_of(const char *line) {
    int year, month, day, hour, minute, second;
    if (sscanf(line, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) != 6) return -1;
    return ((((int64_t)year * 12 + month) * 32 + day) * 24 + hour) * 3600 + minute * 60 + second;
}

/* The whole input, followed by a 0. */
static char *read_all(FILE *file, size_t *bytes) {
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *bytes = 0;
    while (text != NULL) {
        *bytes += fread(text + *bytes, 1, capacity - *bytes - 1, file);
        text[*bytes] = 0;
        if (*bytes < capacity - 1) break;
        text = realloc(text, capacity *= 2);
    }
    if (text == NULL) exit((perror("sort_log"), 1));
    return text;
}

int main(void) {
    size_t bytes, n = 0;
    char *text = read_all(stdin, &bytes);
    for (size_t i = 0; i < bytes; i++) n += text[i] == '\n';
    char **lines = malloc((n + 1) * sizeof *lines);
    int64_t *times = malloc((n + 1) * sizeof *times), time = -1;
    uint64_t *order = malloc((n + 1) * sizeof *order);
    if (lines == NULL || times == NULL || order == NULL) return perror("sort_log"), 1;

    n = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const int64_t own = time_of(line);
        if (own >= 0) time = own;
        lines[n] = line;
        times[n++] = time;
    }
    weft_context *ctx;
    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "sort_log: %s\n", weft_last_error(NULL)), 1;
    if (weft_argsort(ctx, WEFT_ASCENDING, WEFT_I64, WEFT_U64, n, times, order) != WEFT_OK)
        return fprintf(stderr, "sort_log: %s\n", weft_last_error(ctx)), 1;
    for (size_t i = 0; i < n; i++) puts(lines[order[i]]);
    weft_close(ctx);
    free(text);
    free(lines);
    free(times);
    free(order);
}
