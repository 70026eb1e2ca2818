/* What a mistyped name was probably meant to be. */
#ifndef WEFT_CLI_NEAREST_H
#define WEFT_CLI_NEAREST_H

#include <stddef.h>

/* The one of the `count` names at(0), at(1), ... that `name` is nearest to; NULL when it is near none. */
const char *nearest_name(const char *name, const char *(*at)(size_t i), size_t count);

#endif
