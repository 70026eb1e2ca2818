/* Settings of processes for WASI, which has none. */
#ifndef WEFT_WASI_PRCTL_H
#define WEFT_WASI_PRCTL_H

#define PR_SET_PDEATHSIG 1

static inline int prctl(int option, unsigned long value) { return (void)option, (void)value, -1; }

#endif
