/* Run-time compiler of the emulated GPU, which replaces src/cuda/runtime/nvrtc.cu and src/cuda/runtime/compiled.cu.
 * The C++ compiler compiles a formula's text to a library, which is then loaded. Unlike the plugin itself, the
 * library is compiled without checks of memory accesses. */
#include "cuda/runtime/compiled.h"
#include "cuda/runtime/nvrtc.h"
#include "executor.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

int nvrtc_version(void) { return CUDART_VERSION; }

bool nvrtc_knows(int) { return true; }

/* Runs the compiler. It links the library with this plugin, whose executor runs the library's kernels. */
static bool make_library(const char *source, const char *library) {
    Dl_info self;
    char command[3 * PATH_MAX];
    if (!dladdr((const void *)nvrtc_version, &self)) return false;
    const int length =
        snprintf(command, sizeof command, "%s -o %s %s %s", WEFT_EMULATED_COMPILER, library, source, self.dli_fname);
    return length < (int)sizeof command && system(command) == 0;
}

/* Compiles a formula. *code is the path of the library. */
weft_status nvrtc_compile(const char *text, int, void **code, size_t *bytes, weft_error *error) {
    char source[] = "/tmp/weft_formula_XXXXXX.cc", library[sizeof source + 3];
    const int file = mkstemps(source, 3);
    RETURN_IF(file < 0, WEFT_INTERNAL, "no file for the text of a formula");
    const ssize_t size = (ssize_t)strlen(text);
    bool made = write(file, text, (size_t)size) == size;
    close(file);
    snprintf(library, sizeof library, "%s.so", source);
    made = made && make_library(source, library);
    unlink(source);
    RETURN_IF(!made, WEFT_INTERNAL, "a formula did not compile:\n%s", text);
    *bytes = strlen(library) + 1;
    *code = strdup(library);
    return WEFT_OK;
}

bool compiled_usable(void) { return true; }

weft_status compiled_load(const void *code, const char *name, void **library, void **function, weft_error *error) {
    *library = dlopen((const char *)code, RTLD_NOW | RTLD_LOCAL);
    unlink((const char *)code);
    RETURN_IF(!*library, WEFT_INTERNAL, "%s", dlerror());
    *function = dlsym(*library, name);
    RETURN_IF(!*function, WEFT_INTERNAL, "%s", dlerror());
    return WEFT_OK;
}

void compiled_unload(void *library) { dlclose(library); }

weft_status compiled_launch(const gpu *, const char *operation, void *function, unsigned blocks, unsigned threads,
                            size_t shared_bytes, formula_params *f, weft_error *error) {
    emulated::launch(emulated::geometry(blocks, threads, shared_bytes), (void (*)(formula_params))function, *f);
    CUDA_TRY(cudaGetLastError(), operation);
    return WEFT_OK;
}
