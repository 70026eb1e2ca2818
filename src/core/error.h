/* Error handling: a function returns a status and writes a message to the weft_error that every backend call
 * receives. Header only, so that a plugin needs no symbol of the library. */
#ifndef WEFT_CORE_ERROR_H
#define WEFT_CORE_ERROR_H

#include "weft.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct weft_error {
    char message[512];
} weft_error;

/* Writes the message and returns the status, so that a failure is one statement. */
__attribute__((format(printf, 3, 4))) static inline weft_status weft_fail(weft_error *error, weft_status status,
                                                                          const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

/* RETURN_IF(n == 0, WEFT_EMPTY, "min of %zu elements", n); expects `error` in scope. */
#define RETURN_IF(condition, status, ...)          \
    do {                                           \
        if (condition) {                           \
            weft_fail(error, status, __VA_ARGS__); \
            return status;                         \
        }                                          \
    } while (0)

/* RETURN_IF_ERROR(call()): returns from here with the call's status unless it is WEFT_OK. */
#define RETURN_IF_ERROR(call)                       \
    do {                                            \
        const weft_status forwarded = (call);       \
        if (forwarded != WEFT_OK) return forwarded; \
    } while (0)

#endif
