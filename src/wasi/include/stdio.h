/* Files without a name for WASI, which has none. */
#ifndef WEFT_WASI_STDIO_H
#define WEFT_WASI_STDIO_H

#include <errno.h>
#include_next <stdio.h>

#define tmpfile() (errno = ENOSYS, (FILE *)0)

#endif
