#include "cpu/runtime/cpu.h"
weft_status cpu_tridiag_pivot(void *state, const tridiag_call *c, weft_error *error) { (void)state; return ref_tridiag_pivot(state, c, error); }
