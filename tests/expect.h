/* Checks for the test programs: each failure is printed with its location, and main returns expect_end(). */
#ifndef WEFT_TESTS_EXPECT_H
#define WEFT_TESTS_EXPECT_H

#include "weft.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int expect_checks, expect_failures;

/* EXPECT(a == b, "a is %d", a): prints the message if the condition is false. */
#define EXPECT(condition, ...) expect((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) static inline bool expect(bool holds, const char *file, int line,
                                                                const char *condition, const char *format, ...) {
    expect_checks++;
    if (holds) return true;
    expect_failures++;
    printf("%s:%d: expected %s: ", file, line, condition);
    __builtin_va_list args;
    __builtin_va_start(args, format);
    vprintf(format, args);
    __builtin_va_end(args);
    putchar('\n');
    return false;
}

/* Checks that the call returns `status`. */
#define EXPECT_STATUS(ctx, call, status) expect_status((call), (status), (ctx), __FILE__, __LINE__, #call)

static inline bool expect_status(weft_status found, weft_status wanted, const weft_context *ctx, const char *file,
                                 int line, const char *call) {
    return expect(found == wanted, file, line, call, "%s in place of %s: \"%s\"", weft_status_name(found),
                  weft_status_name(wanted), weft_last_error(ctx));
}

/* Checks that the call fails with `status` and a message that contains `words`. */
#define EXPECT_ERROR(ctx, call, status, words) \
    expect_error((call), (status), (words), (ctx), __FILE__, __LINE__, #call)

static inline void expect_error(weft_status found, weft_status wanted, const char *words, const weft_context *ctx,
                                const char *file, int line, const char *call) {
    if (expect_status(found, wanted, ctx, file, line, call))
        expect(strstr(weft_last_error(ctx), words) != NULL, file, line, call, "the sentence \"%s\" lacks \"%s\"",
               weft_last_error(ctx), words);
}

static inline int expect_end(void) {
    printf("%d checks, %d failed\n", expect_checks, expect_failures);
    return expect_failures != 0;
}

#endif
