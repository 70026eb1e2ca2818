/* A scan of a formula's values (docs/ORDER.md 20). They are stored where the result goes, or in scratch memory where
 * that has another type, and the scan then runs over them. */
#include "cuda/map_job.h"

weft_status cuda_map_scan(gpu *g, const scan_call *c, weft_error *error) {
    const bool in_place = c->result == c->dtype;
    const size_t value_bytes = c->n * cuda_type_bytes(c->dtype), out_bytes = c->n * cuda_type_bytes(c->result);
    map_call map = *c->map;
    scan_call scan = *c;
    map_program program;
    map_arrays arrays;
    map.out = c->y;
    FORWARD(gpu_map_bring(g, &map, out_bytes, in_place ? 0 : value_bytes, &arrays, &program, error));
    scan.map = NULL;
    scan.y = arrays.list[arrays.count - 1].at;
    void *values = in_place ? scan.y : arrays.scratch;
    scan.x = values;
    FORWARD(gpu_map_part(g, &program, 0, c->n, values, error));
    FORWARD(cuda_scan(g, &scan, error));
    return arrays_return(g, "map_scan", arrays.list, arrays.count, error);
}
