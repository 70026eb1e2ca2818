/* Finds and calls libnvrtc. Its functions are declared here, so that no header of it is needed to build. */
#include "cuda/runtime/library.h"
#include "cuda/runtime/nvrtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ finding it */

typedef struct _nvrtcProgram *program; /* nvrtcProgram */

/* Functions of libnvrtc that are used. All return 0 on success. */
typedef struct nvrtc_calls {
    int (*nvrtcVersion)(int *major, int *minor);
    int (*nvrtcGetNumSupportedArchs)(int *count);
    int (*nvrtcGetSupportedArchs)(int *archs);
    int (*nvrtcCreateProgram)(program *p, const char *text, const char *name, int headers, const char *const *texts,
                              const char *const *names);
    int (*nvrtcCompileProgram)(program p, int options, const char *const *option);
    int (*nvrtcGetProgramLogSize)(program p, size_t *bytes);
    int (*nvrtcGetProgramLog)(program p, char *log);
    int (*nvrtcGetCUBINSize)(program p, size_t *bytes);
    int (*nvrtcGetCUBIN)(program p, char *code);
    int (*nvrtcDestroyProgram)(program *p);
} nvrtc_calls;

static nvrtc_calls calls;
static int version; /* 0 until found */

/* Takes the functions from a library. Returns false if one is missing. */
static bool take(void *library) {
#define FIND(name)                                 \
    *(void **)&calls.name = dlsym(library, #name); \
    if (!calls.name) return false;
    FIND(nvrtcVersion)
    FIND(nvrtcGetNumSupportedArchs)
    FIND(nvrtcGetSupportedArchs)
    FIND(nvrtcCreateProgram)
    FIND(nvrtcCompileProgram)
    FIND(nvrtcGetProgramLogSize)
    FIND(nvrtcGetProgramLog)
    FIND(nvrtcGetCUBINSize)
    FIND(nvrtcGetCUBIN)
    FIND(nvrtcDestroyProgram)
    int major = 0, minor = 0;
    if (calls.nvrtcVersion(&major, &minor) != 0) return false;
    version = 1000 * major + 10 * minor;
    return true;
}

static void find(void) {
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    (void)library_find(names, sizeof names / sizeof *names, take);
}

int nvrtc_version(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return version;
}

bool nvrtc_knows(int arch) {
    int count = 0, *archs, known = 0;
    if (nvrtc_version() == 0 || calls.nvrtcGetNumSupportedArchs(&count) != 0 || count <= 0) return false;
    archs = (int *)calloc((size_t)count, sizeof *archs);
    if (archs && calls.nvrtcGetSupportedArchs(archs) == 0)
        for (int i = 0; i < count; i++) known |= archs[i] == arch;
    free(archs);
    return known;
}

/* --------------------------------------------------------------------------------- calling it */

static weft_status no_memory(weft_error *error) {
    return weft_fail(error, WEFT_OUT_OF_MEMORY, "no memory to compile a formula");
}

/* Returns WEFT_INTERNAL with the first line of the compiler's log. */
static weft_status failed(program p, int fault, weft_error *error) {
    size_t bytes = 0;
    char *log = NULL;
    if (calls.nvrtcGetProgramLogSize(p, &bytes) == 0 && bytes > 0) log = (char *)calloc(bytes + 1, 1);
    if (log && calls.nvrtcGetProgramLog(p, log) == 0) log[strcspn(log, "\n")] = 0;
    const weft_status status = weft_fail(
        error, WEFT_INTERNAL,
        "a formula did not compile for the GPU: NVRTC %d.%d, error %d: %.300s; set WEFT_NVRTC=0 to disable run-time "
        "compilation (the results are the same)",
        version / 1000, version % 1000 / 10, fault, log ? log : "");
    free(log);
    return status;
}

static weft_status compile(program p, int arch, void **code, size_t *bytes, weft_error *error) {
    const nvrtc_embedded *e = &weft_nvrtc_embedded;
    char target[32];
    const char *options[16];
    int count = 0, fault;
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", arch);
    while (count < e->option_count) {
        options[count] = e->options[count];
        count++;
    }
    options[count++] = "--std=c++17";
    options[count++] = "--device-as-default-execution-space";
    options[count++] = target;
    if ((fault = calls.nvrtcCompileProgram(p, count, options)) != 0) return failed(p, fault, error);
    if ((fault = calls.nvrtcGetCUBINSize(p, bytes)) != 0) return failed(p, fault, error);
    *code = malloc(*bytes);
    if (!*code) return no_memory(error);
    fault = calls.nvrtcGetCUBIN(p, (char *)*code);
    return fault == 0 ? WEFT_OK : failed(p, fault, error);
}

weft_status nvrtc_compile(const char *text, int arch, void **code, size_t *bytes, weft_error *error) {
    const nvrtc_embedded *e = &weft_nvrtc_embedded;
    program p = NULL;
    *code = NULL;
    *bytes = 0;
    RETURN_IF(nvrtc_version() == 0, WEFT_INTERNAL, "no libnvrtc was found to compile a formula");
    if (calls.nvrtcCreateProgram(&p, text, "formula.cu", e->header_count, e->headers, e->names) != 0)
        return no_memory(error);
    const weft_status status = compile(p, arch, code, bytes, error);
    (void)calls.nvrtcDestroyProgram(&p);
    if (status != WEFT_OK) {
        free(*code);
        *code = NULL;
    }
    return status;
}
