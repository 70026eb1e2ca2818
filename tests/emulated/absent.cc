/* Parts of the plugin that the emulated GPU does not have. */
#include "cuda/recurrence/recurrence_params.h"
#include "cuda/runtime/cublaslt.h"
#include "cuda/scan/scan_kernels.h"

/* No bulk copies: the warps of their kernels pass tiles to one another by barriers in shared memory (mbarrier), whose
 * order the executor does not know. The other kernels of scans and recurrences compute the same bits. */
recurrence_bulk cuda_recurrence_bulk(weft_dtype, bool) { return recurrence_bulk{}; }

weft_status gpu_scan_bulk(const gpu *, const scan_call *, scan_params *, bool *launched, weft_error *) {
    *launched = false;
    return WEFT_OK;
}

/* No library: the plugin's own kernels compute integer products. */
weft_status cublaslt_multiply(gpu *, const int8_products *, bool *done, weft_error *) {
    *done = false;
    return WEFT_OK;
}
void cublaslt_close(gpu *) {}
