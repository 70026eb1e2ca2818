/* Loads and launches code that was compiled at run time, through the CUDA driver. The driver's library is opened at
 * first use, because weft is not linked with it. */
#include "cuda/runtime/compiled.h"

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>

static struct {
    CUresult (*load)(CUlibrary *, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *, void **,
                     unsigned);
    CUresult (*kernel)(CUkernel *, CUlibrary, const char *);
    CUresult (*unload)(CUlibrary);
    CUresult (*device)(CUdevice *, int);
    CUresult (*set)(CUfunction_attribute, int, CUkernel, CUdevice);
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                       void **, void **);
} driver;

static void find(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&driver.load = dlsym(library, "cuLibraryLoadData");
    *(void **)&driver.kernel = dlsym(library, "cuLibraryGetKernel");
    *(void **)&driver.unload = dlsym(library, "cuLibraryUnload");
    *(void **)&driver.device = dlsym(library, "cuDeviceGet");
    *(void **)&driver.set = dlsym(library, "cuKernelSetAttribute");
    *(void **)&driver.launch = dlsym(library, "cuLaunchKernel");
}

bool compiled_usable(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return driver.load && driver.kernel && driver.unload && driver.device && driver.set && driver.launch;
}

/* The driver's error codes equal the runtime's. */
#define DRIVER_TRY(call, doing) CUDA_TRY((cudaError_t)(call), doing)

weft_status compiled_load(const void *code, const char *name, void **library, void **function, weft_error *error) {
    CUlibrary loaded;
    CUkernel kernel;
    DRIVER_TRY(driver.load(&loaded, code, NULL, NULL, 0, NULL, NULL, 0), "loading a compiled formula");
    const CUresult fault = driver.kernel(&kernel, loaded, name);
    if (fault != CUDA_SUCCESS) (void)driver.unload(loaded);
    DRIVER_TRY(fault, "finding a compiled formula's kernel");
    *library = loaded;
    *function = kernel;
    return WEFT_OK;
}

void compiled_unload(void *library) { (void)driver.unload((CUlibrary)library); }

/* Raises the limit of dynamic shared memory. Launches with more than 48 KiB require it on every GPU. */
static weft_status ask_for_shared(const gpu *g, const char *operation, void *function, size_t bytes,
                                  weft_error *error) {
    CUdevice device;
    if (bytes <= 48 << 10) return WEFT_OK;
    DRIVER_TRY(driver.device(&device, g->device), operation);
    DRIVER_TRY(driver.set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes, (CUkernel)function, device),
               operation);
    return WEFT_OK;
}

/* Makes the context of the GPU current in the calling thread, as the driver requires; cudaSetDevice does so. */
weft_status compiled_launch(const gpu *g, const char *operation, void *function, unsigned blocks, unsigned threads,
                            size_t shared_bytes, formula_params *f, weft_error *error) {
    void *arguments[] = {f};
    CUDA_TRY(cudaSetDevice(g->device), operation);
    RETURN_IF_ERROR(ask_for_shared(g, operation, function, shared_bytes, error));
    DRIVER_TRY(driver.launch((CUfunction)function, blocks, 1, 1, threads, 1, 1, (unsigned)shared_bytes, g->stream,
                             arguments, NULL),
               operation);
    return WEFT_OK;
}
