/* Scans of many vectors by operators whose results do not depend on order (ORDER.md 32). */
#include "cuda/scan_axis/scan_axis.cuh"

axis_launch cuda_axis_extreme(weft_dtype dtype) { return for_all_extremes<axis_launch, axis_of>(dtype); }
axis_launch cuda_axis_or(weft_dtype dtype) { return for_bits<axis_launch, axis_of, scan_or>(dtype); }
axis_launch cuda_axis_xor(weft_dtype dtype) { return for_bits<axis_launch, axis_of, scan_xor>(dtype); }
