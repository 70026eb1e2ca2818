/* weft_random and weft_random_integers: argument checks. */
#include "core/half_random.h"
#include "core/order.h"

#include <inttypes.h>
#include <math.h>

/* Checks the range of samples and the output array. */
static weft_status check_samples(const weft_context *ctx, const random_call *c, weft_error *error) {
    range out;
    RETURN_IF(c->first > WEFT_SAMPLES_MAX || c->n > WEFT_SAMPLES_MAX - c->first, WEFT_INVALID,
              "first = %" PRIu64 ", n = %zu: the range exceeds the samples of a stream, 0 to %" PRIu64, c->first,
              c->n, WEFT_SAMPLES_MAX - 1);
    return check_array(ctx, "out", c->out, c->n, weft_dtype_size(c->dtype), &out, error);
}

/* -------------------------------------------------------------------------- distributions */

/* The keywords of core/distributions.def. */
typedef enum sample_types { REALS, SINGLES, TRUTHS } sample_types;

static weft_status check_types(const random_call *c, weft_error *error) {
    static const sample_types types[] = {
#define DISTRIBUTION(ID, name, types, help) types,
#include "core/distributions.def"
    };
    static const char *const needed[] = {
        [REALS] = "f32, f64, f16 or bf16", [SINGLES] = "f32, f16 or bf16", [TRUTHS] = "u8"};
    const char *name = weft_distribution_name(c->distribution);
    RETURN_IF((size_t)c->distribution >= sizeof types / sizeof *types, WEFT_INVALID, "invalid distribution %d",
              (int)c->distribution);
    RETURN_IF_ERROR(check_type(c->dtype, error));
    const sample_types type = types[c->distribution];
    const bool fits =
        type == TRUTHS ? c->dtype == WEFT_U8 : type_is_real(c->dtype) && (type == REALS || c->dtype != WEFT_F64);
    RETURN_IF(!fits, WEFT_UNSUPPORTED, "samples of %s must have type %s, not %s", name, needed[type],
              weft_dtype_name(c->dtype));
    return WEFT_OK;
}

/* Checks a and b after rounding to the samples' type. */
static weft_status check_ends(const random_call *c, bool finite, bool ascend, bool has_width, weft_error *error) {
    const char *type = weft_dtype_name(c->dtype);
    RETURN_IF(!finite, WEFT_INVALID, "a = %.17g, b = %.17g: both must be finite in %s", c->a, c->b, type);
    RETURN_IF(!ascend, WEFT_INVALID, "a = %.17g is not less than b = %.17g in %s", c->a, c->b, type);
    RETURN_IF(!has_width, WEFT_INVALID, "a = %.17g, b = %.17g: b - a overflows in %s", c->a, c->b, type);
    return WEFT_OK;
}

static weft_status check_uniform(const random_call *c, weft_error *error) {
    const double a = rounded_parameter(c->dtype, c->a), b = rounded_parameter(c->dtype, c->b);
    const double width = c->dtype == WEFT_F64 ? b - a : (double)((float)b - (float)a);
    return check_ends(c, isfinite(a) && isfinite(b), a < b, isfinite(width), error);
}

/* Checks the mean a and the standard deviation b of a normal, after rounding to f32 if `single`. */
static weft_status check_normal(const random_call *c, bool single, weft_error *error) {
    const char *name = weft_distribution_name(c->distribution), *type = single ? "finite in f32" : "finite";
    const double a = single ? (double)(float)c->a : c->a, b = single ? (double)(float)c->b : c->b;
    RETURN_IF(!isfinite(a), WEFT_INVALID, "%s: invalid mean a = %g: it must be %s", name, c->a, type);
    RETURN_IF(!isfinite(b) || b < 0, WEFT_INVALID,
              "%s: invalid standard deviation b = %.17g: it must be %s and 0 or greater", name, c->b, type);
    return WEFT_OK;
}

static weft_status check_parameters(const random_call *c, weft_error *error) {
    const char *name = weft_distribution_name(c->distribution);
    switch (c->distribution) {
    case WEFT_UNIFORM: return check_uniform(c, error);
    case WEFT_NORMAL:
    case WEFT_LOGNORMAL: return check_normal(c, false, error);
    case WEFT_NORMAL_FAST:
    case WEFT_LOGNORMAL_FAST: return check_normal(c, true, error);
    case WEFT_EXPONENTIAL:
        RETURN_IF(!isfinite(c->a) || c->a <= 0, WEFT_INVALID,
                  "%s: invalid rate a = %.17g: it must be finite and greater than 0", name, c->a);
        break;
    case WEFT_BERNOULLI:
        RETURN_IF(!(c->a >= 0 && c->a <= 1), WEFT_INVALID, "%s: invalid probability a = %.17g: it must be in [0, 1]",
                  name, c->a);
        break;
    }
    return WEFT_OK;
}

static weft_status sample(weft_context *ctx, random_call *c, weft_error *error) {
    RETURN_IF_ERROR(check_types(c, error));
    RETURN_IF_ERROR(check_samples(ctx, c, error));
    RETURN_IF_ERROR(check_parameters(c, error));
    if (c->n == 0) return WEFT_OK;
    if (!type_is_half(c->dtype)) return ctx->backend->random(ctx->state, c, error);
    if (c->distribution == WEFT_UNIFORM) {
        c->a = rounded_parameter(c->dtype, c->a);
        c->b = rounded_parameter(c->dtype, c->b);
    }
    return half_samples(ctx, c, error);
}

weft_status weft_random(weft_context *ctx, weft_distribution distribution, weft_dtype dtype, uint64_t seed,
                        uint64_t stream, uint64_t first, size_t n, double a, double b, void *out) {
    random_call c = {.distribution = distribution,
                     .dtype = dtype,
                     .seed = seed,
                     .stream = stream,
                     .first = first,
                     .n = n,
                     .a = a,
                     .b = b,
                     .out = out};
    RETURN_GUARDED(ctx, sample(ctx, &c, error));
}

/* ------------------------------------------------------------------------------- integers */

/* Returns the value at p, sign-extended if its type is signed. */
static uint64_t integer_at(weft_dtype dtype, const void *p) {
    switch (dtype) {
    case WEFT_I32: return (uint64_t)(int64_t) * (const int32_t *)p;
    case WEFT_U32: return *(const uint32_t *)p;
    default: return *(const uint64_t *)p;
    }
}

/* Reads a bound from p. If p is NULL, the bound is the least or the greatest value of the type. */
static weft_status read_bound(const weft_context *ctx, const char *name, weft_dtype dtype, const void *p, bool upper,
                              uint64_t *bound, weft_error *error) {
    static const int64_t least[] = {[WEFT_I32] = INT32_MIN, [WEFT_I64] = INT64_MIN, [WEFT_U64] = 0};
    static const uint64_t greatest[] = {
        [WEFT_I32] = INT32_MAX, [WEFT_I64] = INT64_MAX, [WEFT_U32] = UINT32_MAX, [WEFT_U64] = UINT64_MAX};
    range value;
    *bound = upper ? greatest[dtype] : (uint64_t)least[dtype];
    if (!p) return WEFT_OK;
    RETURN_IF_ERROR(check_array(ctx, name, p, 1, weft_dtype_size(dtype), &value, error));
    RETURN_IF_ERROR(check_host_value(name, p, error));
    *bound = integer_at(dtype, p);
    return WEFT_OK;
}

static weft_status check_bounds(random_call *c, type_kind kind, uint64_t upper, weft_error *error) {
    RETURN_IF(kind == KIND_SIGNED && (int64_t)c->lower > (int64_t)upper, WEFT_INVALID,
              "lower = %" PRId64 " is greater than upper = %" PRId64, (int64_t)c->lower, (int64_t)upper);
    RETURN_IF(kind == KIND_UNSIGNED && c->lower > upper, WEFT_INVALID,
              "lower = %" PRIu64 " is greater than upper = %" PRIu64, c->lower, upper);
    c->last = upper - c->lower;
    return WEFT_OK;
}

static weft_status sample_integers(weft_context *ctx, random_call *c, const void *lower, const void *upper,
                                   weft_error *error) {
    type_kind kind;
    uint64_t greatest;
    RETURN_IF_ERROR(check_kind(c->dtype, &kind, error));
    RETURN_IF(kind == KIND_FLOAT || weft_dtype_size(c->dtype) < 4, WEFT_UNSUPPORTED,
              "random integers must have type i32, i64, u32 or u64, not %s", weft_dtype_name(c->dtype));
    RETURN_IF_ERROR(check_samples(ctx, c, error));
    RETURN_IF_ERROR(read_bound(ctx, "lower", c->dtype, lower, false, &c->lower, error));
    RETURN_IF_ERROR(read_bound(ctx, "upper", c->dtype, upper, true, &greatest, error));
    RETURN_IF_ERROR(check_bounds(c, kind, greatest, error));
    return c->n ? ctx->backend->random(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_random_integers(weft_context *ctx, weft_dtype dtype, uint64_t seed, uint64_t stream, uint64_t first,
                                 size_t n, const void *lower, const void *upper, void *out) {
    random_call c = {
        .integers = true, .dtype = dtype, .seed = seed, .stream = stream, .first = first, .n = n, .out = out};
    RETURN_GUARDED(ctx, sample_integers(ctx, &c, lower, upper, error));
}
