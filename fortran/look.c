/* Description of a Fortran array for weft. Fortran itself cannot determine the type of a type(*) argument.
 * (ISO_Fortran_binding.h of Fortran 2018.) */
#include <ISO_Fortran_binding.h>
#include <stdint.h>
#include <weft.h>

/* type(weft_array) of weft_arrays.f90, member by member. */
struct weft_array {
    void *p;
    int64_t n;                    /* number of elements; -1: unknown */
    int64_t extent[CFI_MAX_RANK]; /* of each dimension; 1 past the last */
    int64_t step[CFI_MAX_RANK];   /* distance of elements in each dimension, in elements */
    int32_t dtype, field;         /* weft_dtype (0: an unsupported type) and weft_field */
    int32_t rank, contiguous;     /* contiguous: no gaps */
    int64_t element_bytes;
};

static weft_dtype dtype_of(CFI_type_t type, weft_field *field) {
    *field = WEFT_REAL;
    if (type == CFI_type_int8_t) return WEFT_I8;
    if (type == CFI_type_int16_t) return WEFT_I16;
    if (type == CFI_type_int32_t) return WEFT_I32;
    if (type == CFI_type_int64_t) return WEFT_I64;
    if (type == CFI_type_Bool) return WEFT_U8;
    if (type == CFI_type_float) return WEFT_F32;
    if (type == CFI_type_double) return WEFT_F64;
    *field = WEFT_COMPLEX;
    if (type == CFI_type_float_Complex) return WEFT_F32;
    if (type == CFI_type_double_Complex) return WEFT_F64;
    return WEFT_DEFAULT;
}

/* Describes x. n is -1 for an array of assumed size, whose last extent is unknown. */
void weft_fortran_look(const CFI_cdesc_t *x, struct weft_array *a) {
    weft_field field;
    a->p = x->base_addr;
    a->dtype = (int32_t)dtype_of(x->type, &field);
    a->field = (int32_t)field;
    a->rank = x->rank;
    a->element_bytes = (int64_t)x->elem_len;
    a->n = 1;
    for (int i = 0; i < CFI_MAX_RANK; i++) {
        const int inside = i < x->rank;
        a->extent[i] = inside ? (int64_t)x->dim[i].extent : 1;
        a->step[i] = inside && x->elem_len > 0 ? (int64_t)(x->dim[i].sm / (CFI_index_t)x->elem_len) : 0;
        if (a->extent[i] < 0) a->n = -1;
        if (a->n >= 0) a->n *= a->extent[i];
    }
    a->contiguous = a->n < 0 || a->n < 2 || CFI_is_contiguous(x);
}
