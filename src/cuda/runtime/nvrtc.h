/* NVIDIA's run-time compiler, libnvrtc. It is searched for at first use, and is optional. */
#ifndef WEFT_CUDA_NVRTC_H
#define WEFT_CUDA_NVRTC_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns 1000 major + 10 minor, or 0 if no libnvrtc was found. */
int nvrtc_version(void);

/* Returns true if libnvrtc compiles for sm_<arch>. */
bool nvrtc_knows(int arch);

/* Compiles a text for sm_<arch>. The text may include the headers that cmake/embed.cmake put into the plugin. The
 * caller must free *code. A text that does not compile is an error in weft: WEFT_INTERNAL with the first line of the
 * compiler's log. */
weft_status nvrtc_compile(const char *text, int arch, void **code, size_t *bytes, weft_error *error);

/* Headers that a text may include, and compiler options of all kernels; both are generated at build time. */
typedef struct nvrtc_embedded {
    int header_count, option_count;
    const char *const *names, *const *headers, *const *options;
} nvrtc_embedded;
extern "C" const nvrtc_embedded weft_nvrtc_embedded;

#endif
