/* Executor of a call (weft_set_executor). */
#ifndef WEFT_CORE_EXECUTOR_H
#define WEFT_CORE_EXECUTOR_H

#include "core/fpmode.h"
#include "weft.h"

/* Returns the executor of the innermost call on this thread, or NULL. Sets *mode to the floating-point mode of the
 * caller if the result is not NULL. */
const weft_executor *context_executor(weft_fpmode *mode);

#endif
