/* Waiting for other threads: see syscall() in sys/syscall.h. */
#ifndef WEFT_WASI_FUTEX_H
#define WEFT_WASI_FUTEX_H

#define FUTEX_WAIT_PRIVATE 0
#define FUTEX_WAKE_PRIVATE 1

#endif
