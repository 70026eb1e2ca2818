/* Scans by operators whose results do not depend on order: minimum, maximum, and, or, xor (ORDER.md 6.4). */
#include "cuda/scan/scan.cuh"
#include "cuda/scan/scan_kernels.h"
#include "cuda/scan/scan_ops.cuh"

scan_launch cuda_scan_extreme_kernel(weft_dtype dtype) { return for_all_extremes<scan_launch, scan_of>(dtype); }
scan_launch cuda_scan_or_kernel(weft_dtype dtype) { return for_bits<scan_launch, scan_of, scan_or>(dtype); }
scan_launch cuda_scan_xor_kernel(weft_dtype dtype) { return for_bits<scan_launch, scan_of, scan_xor>(dtype); }
