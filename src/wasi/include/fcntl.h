/* Files without a name for WASI, which has none: a directory cannot be opened for writing. */
#ifndef WEFT_WASI_FCNTL_H
#define WEFT_WASI_FCNTL_H

#include_next <fcntl.h>

#define O_TMPFILE O_DIRECTORY

#endif
