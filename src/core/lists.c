/* Names and sizes, from the .def lists. The header spells out its enumerators for its readers; the assertions in
 * this file ensure that both agree. */
#include "core/types.h"

enum {
#define STATUS(ID, name) STATUS_##ID,
#include "core/status.def"
    STATUS_COUNT
};
enum {
    TYPE_DEFAULT,
#define TYPE(ID, name, ctype, kind, npy) TYPE_##ID,
#include "core/types.def"
    TYPE_COUNT
};
enum {
    HALF_FIRST = TYPE_COUNT, /* WEFT_EXACT_SUM is between the types */
#define HALF(ID, name, npy) HALF_##ID,
#include "core/halves.def"
    HALF_END
};
enum {
#define REDUCE(ID, name, domain, result, empty, help) REDUCE_##ID,
#include "core/ops.def"
    REDUCE_COUNT
};
enum {
#define DISTRIBUTION(ID, name, types, help) DISTRIBUTION_##ID,
#include "core/distributions.def"
    DISTRIBUTION_COUNT
};

#define STATUS(ID, name) _Static_assert((int)WEFT_##ID == (int)STATUS_##ID, "weft.h and status.def");
#include "core/status.def"
#define TYPE(ID, name, ctype, kind, npy) _Static_assert((int)WEFT_##ID == (int)TYPE_##ID, "weft.h and types.def");
#include "core/types.def"
#define REDUCE(ID, name, domain, result, empty, help) \
    _Static_assert((int)WEFT_##ID == (int)REDUCE_##ID, "weft.h and ops.def");
#include "core/ops.def"
#define DISTRIBUTION(ID, name, types, help) \
    _Static_assert((int)WEFT_##ID == (int)DISTRIBUTION_##ID, "weft.h and distributions.def");
#include "core/distributions.def"

#define HALF(ID, name, npy) _Static_assert((int)WEFT_##ID == (int)HALF_##ID, "weft.h and halves.def");
#include "core/halves.def"

_Static_assert((int)WEFT_EXACT_SUM == (int)TYPE_COUNT, "weft.h and types.def");

const char *weft_status_name(weft_status status) {
    static const char *const names[] = {
#define STATUS(ID, name) #name,
#include "core/status.def"
    };
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown";
}

const char *weft_dtype_name(weft_dtype dtype) {
    static const char *const names[] = {
        "default",
#define TYPE(ID, name, ctype, kind, npy) #name,
#include "core/types.def"
        "exact",
#define HALF(ID, name, npy) #name,
#include "core/halves.def"
    };
    return dtype != WEFT_DEFAULT && (unsigned)dtype < HALF_END ? names[dtype] : "unknown";
}

size_t weft_dtype_size(weft_dtype dtype) {
    static const size_t sizes[] = {
        0,
#define TYPE(ID, name, ctype, kind, npy) sizeof(ctype),
#include "core/types.def"
    };
    if (type_is_half(dtype)) return sizeof(uint16_t);
    return (unsigned)dtype < TYPE_COUNT ? sizes[dtype] : 0;
}

const char *weft_op_name(weft_op op) {
    static const char *const names[] = {
#define REDUCE(ID, name, domain, result, empty, help) #name,
#include "core/ops.def"
    };
    return (unsigned)op < REDUCE_COUNT ? names[op] : "unknown";
}

const char *weft_distribution_name(weft_distribution distribution) {
    static const char *const names[] = {
#define DISTRIBUTION(ID, name, types, help) #name,
#include "core/distributions.def"
    };
    return (unsigned)distribution < DISTRIBUTION_COUNT ? names[distribution] : "unknown";
}

#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *weft_version(void) { return VERSION(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH); }

int weft_order_version(void) { return WEFT_ORDER_VERSION; }
