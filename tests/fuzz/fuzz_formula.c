/* Fuzzer of formulas: any text either is refused with a sentence or is compiled, and then the CPU backend must give
 * the bits of the specification for it, in every type that formulas have. So must a formula of complex numbers, in
 * which the variables that the text calls z and w, and no others, are complex. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { N = 37, NAMES = 64, LENGTH = 4100 };

static weft_context *devices[2];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_devices(void) {
    if (weft_open(&devices[0], "ref") != WEFT_OK || weft_open(&devices[1], "cpu") != WEFT_OK) abort();
}

/* Values of every kind: small, large, negative, zeros of both signs, infinities and NaN. */
static void fill(double x[N]) {
    static const double values[] = {0.0, -0.0,      1,          -1,        2.5, 1e300, -1e-300,
                                    3,   1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 7,   1e9};
    for (size_t i = 0; i < N; i++) x[i] = values[i % (sizeof values / sizeof *values)];
}

/* Returns true for the names of complex variables. */
static int is_complex(const char *name) { return strcmp(name, "z") == 0 || strcmp(name, "w") == 0; }

static void compare(const weft_expr *expr, weft_dtype dtype, const weft_binding *bindings, size_t count) {
    unsigned char out[2][8 * N];
    weft_status status[2];
    memset(out, 0x5a, sizeof out);
    for (int d = 0; d < 2; d++) status[d] = weft_map(devices[d], expr, dtype, N, bindings, count, out[d]);
    if (status[0] != status[1] || (status[0] == WEFT_OK && memcmp(out[0], out[1], sizeof out[0]) != 0)) {
        fprintf(stderr, "%s: status %d of ref, %d of cpu, or different bits\n", weft_dtype_name(dtype), status[0],
                status[1]);
        abort();
    }
}

static void evaluate(const weft_expr *expr) {
    static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    static double floats[N];
    static int64_t integers[N];
    weft_binding bindings[NAMES];
    const size_t count = weft_expr_variable_count(expr);
    if (count > NAMES) abort();
    fill(floats);
    for (size_t i = 0; i < N; i++) integers[i] = (int64_t)(i * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) {
        const int is_float = dtypes[t] == WEFT_F32 || dtypes[t] == WEFT_F64;
        for (size_t v = 0; v < count; v++)
            bindings[v] = (weft_binding){.name = weft_expr_variable(expr, v),
                                         .dtype = is_float ? WEFT_F64 : WEFT_I64,
                                         .array = is_float ? (const void *)floats : integers};
        compare(expr, dtypes[t], bindings, count);
    }
}

/* Compares the values of a formula of complex numbers. */
static void evaluate_complex(const weft_expr *expr) {
    static double floats[2 * N], out[2][2 * N];
    weft_view numbers, reals, to;
    weft_view_binding bindings[NAMES];
    const size_t count = weft_expr_variable_count(expr), of_out = weft_expr_is_complex(expr) ? 2 : 1;
    weft_status status[2];
    fill(floats);
    for (size_t i = 0; i < N; i++) floats[N + i] = floats[(5 * i) % N];
    weft_view_of(WEFT_F64, 2, (size_t[]){N, 2}, floats, &numbers);
    weft_view_of(WEFT_F64, 1, (size_t[]){N}, floats, &reals);
    for (size_t v = 0; v < count; v++) {
        const char *const name = weft_expr_variable(expr, v);
        bindings[v] = (weft_view_binding){.name = name, .view = is_complex(name) ? &numbers : &reals};
    }
    for (size_t t = 0; t < 2; t++) {
        const weft_dtype dtype = t ? WEFT_F64 : WEFT_F32;
        memset(out, 0x5a, sizeof out);
        for (int d = 0; d < 2; d++) {
            weft_view_of(dtype, of_out, (size_t[]){N, 2}, out[d], &to);
            status[d] = weft_map_views(devices[d], expr, dtype, bindings, count, &to);
        }
        if (status[0] != status[1] || (status[0] == WEFT_OK && memcmp(out[0], out[1], sizeof out[0]) != 0)) {
            fprintf(stderr, "complex, %s: status %d of ref, %d of cpu, or different bits\n", weft_dtype_name(dtype),
                    status[0], status[1]);
            abort();
        }
    }
}

/* Compiles a text with the names in it that are complex. */
static weft_status compile_complex(const char *text, weft_expr **expr) {
    const char *names[2];
    size_t count = 0;
    weft_expr *real;
    if (weft_expr_compile(devices[0], text, &real) == WEFT_OK)
        for (size_t v = 0; v < weft_expr_variable_count(real); v++)
            if (is_complex(weft_expr_variable(real, v)))
                names[count++] = weft_expr_variable(real, v)[0] == 'z' ? "z" : "w";
    weft_expr_free(real);
    return weft_expr_compile_complex(devices[0], text, names, count, expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LENGTH + 1];
    weft_expr *expr = NULL;
    if (!devices[0]) open_devices();
    if (size > LENGTH) return -1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (weft_expr_compile(devices[0], text, &expr) == WEFT_OK)
        evaluate(expr);
    else if (!*weft_last_error(devices[0]))
        abort();
    weft_expr_free(expr);
    if (compile_complex(text, &expr) == WEFT_OK)
        evaluate_complex(expr);
    else if (!*weft_last_error(devices[0]))
        abort();
    weft_expr_free(expr);
    return 0;
}
