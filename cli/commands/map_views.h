/* Arrays of different shapes in `weft map`, which are broadcast as in NumPy. */
#ifndef WEFT_CLI_MAP_VIEWS_H
#define WEFT_CLI_MAP_VIEWS_H

#include "cli/io/npy/npy.h"

/* The arrays among the operands of a formula: `count` arrays, with the texts that name them. */
typedef struct map_operands {
    const char *command;
    size_t count;
    const npy_array *const *arrays;
    const char *const *texts;
} map_operands;

/* Returns true if all arrays have one shape and, if they have more than one dimension, one order in memory. */
bool map_operands_alike(const map_operands *o);

/* Sets *shape to the shape to which all arrays can be broadcast. Prints an error and returns false if there is none.
 */
bool map_operands_shape(const map_operands *o, npy_shape *shape);

#endif
