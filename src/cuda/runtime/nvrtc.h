/* NVIDIA's run-time compiler, libnvrtc, which is looked for when it is first asked for; weft does without it too. */
#ifndef WEFT_CUDA_NVRTC_H
#define WEFT_CUDA_NVRTC_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

/* 1000 major + 10 minor; 0 where there is none. */
int nvrtc_version(void);

/* Whether it compiles for sm_<arch>. */
bool nvrtc_knows(int arch);

/* Compiles a text, which may include what cmake/embed.cmake has put into the plugin, for sm_<arch>. *code is to be
 * freed. A text that does not compile is weft's fault: WEFT_INTERNAL with the compiler's first words. */
weft_status nvrtc_compile(const char *text, int arch, void **code, size_t *bytes, weft_error *error);

/* The headers that a text may include, and the options of all kernels: made at build time. */
typedef struct nvrtc_embedded {
    int header_count, option_count;
    const char *const *names, *const *headers, *const *options;
} nvrtc_embedded;
extern "C" const nvrtc_embedded weft_nvrtc_embedded;

#endif
