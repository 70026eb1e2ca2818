/* Registry of backends. The CUDA backend is a plugin, libweft_cuda.so, next to libweft.so: libweft can be built,
 * installed and run without CUDA. */
#include "core/context.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic(const weft_backend *) weft_plugin;

/* Finds the plugin in $WEFT_PLUGIN_DIR if set, else in the directory from which this library was loaded. There it
 * is in the subdirectory weft, where it is installed, or next to this library, as in a build tree. */
static weft_status plugin_path(char *path, size_t size, weft_error *error) {
    const char *directory = getenv("WEFT_PLUGIN_DIR");
    size_t length = directory ? strlen(directory) : 0;
    Dl_info self;
    if (!directory) {
        RETURN_IF(!dladdr((void *)weft_find_backend, &self) || !self.dli_fname, WEFT_INTERNAL,
                  "cannot determine the directory of libweft.so");
        const char *slash = strrchr(self.dli_fname, '/');
        directory = slash ? self.dli_fname : ".";
        length = slash ? (size_t)(slash - self.dli_fname) : 1;
    }
    int written = snprintf(path, size, "%.*s/weft/libweft_cuda.so", (int)length, directory);
    if (written > 0 && (size_t)written < size && access(path, F_OK) == 0) return WEFT_OK;
    written = snprintf(path, size, "%.*s/libweft_cuda.so", (int)length, directory);
    RETURN_IF(written < 0 || (size_t)written >= size, WEFT_NO_DEVICE, "the directory of the CUDA plugin is too long");
    return WEFT_OK;
}

static weft_status load_plugin(const weft_backend **backend, weft_error *error) {
    char path[4096];
    RETURN_IF_ERROR(plugin_path(path, sizeof path, error));
    RETURN_IF(access(path, R_OK) != 0, WEFT_NO_DEVICE,
              "no CUDA backend: %s does not exist (weft was built without nvcc, or the plugin was not installed)",
              path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    RETURN_IF(!handle, WEFT_UNSUPPORTED, "no CUDA backend: %s", dlerror());
    const weft_plugin_entry entry = (weft_plugin_entry)dlsym(handle, WEFT_PLUGIN_ENTRY);
    const weft_backend *found = entry ? entry() : NULL;
    if (!found || found->abi != WEFT_BACKEND_ABI) {
        dlclose(handle);
        return weft_fail(error, WEFT_UNSUPPORTED,
                         "no CUDA backend: %s belongs to another release of weft than libweft.so", path);
    }
    *backend = found;
    return WEFT_OK;
}

static weft_status find_plugin(const weft_backend **backend, weft_error *error) {
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&plugin_lock);
    *backend = weft_plugin;
    if (!*backend) {
        status = load_plugin(backend, error);
        if (status == WEFT_OK) weft_plugin = *backend;
    }
    pthread_mutex_unlock(&plugin_lock);
    return status;
}

weft_status weft_find_backend(const char *name, const weft_backend **backend, weft_error *error) {
    *backend = NULL;
    if (strcmp(name, "cuda") == 0) return find_plugin(backend, error);
    if (strcmp(name, "cpu") == 0) *backend = weft_backend_cpu();
    if (strcmp(name, "ref") == 0) *backend = weft_backend_ref();
    RETURN_IF(!*backend, WEFT_NO_DEVICE, "unknown device \"%s\": expected auto, cpu, cuda or ref", name);
    return WEFT_OK;
}
