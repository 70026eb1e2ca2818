/* Loads the machines of the ladder, which are shared libraries loaded on demand, like the CUDA backend. */
#include "cli/ladder/ladder_climb.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *ladder_weft_path(void) {
    Dl_info library;
    return dladdr((void *)weft_version, &library) && library.dli_fname ? library.dli_fname : "";
}

void ladder_path(const char *name, char *path, size_t size) {
    const char *directory = getenv("WEFT_PLUGIN_DIR");
    size_t length = directory ? strlen(directory) : 0;
    if (!directory) {
        const char *const file = ladder_weft_path(), *const slash = strrchr(file, '/');
        directory = slash ? file : ".";
        length = slash ? (size_t)(slash - file) : 1;
    }
    snprintf(path, size, "%.*s/weft/%s", (int)length, directory, name);
    if (access(path, F_OK) != 0) snprintf(path, size, "%.*s/%s", (int)length, directory, name);
}

bool ladder_machine_load(const char *which, ladder_machine_info *info, char *error, size_t error_size) {
    char path[4096], name[64];
    snprintf(name, sizeof name, "libweft_ladder_%s.so", which);
    ladder_path(name, path, sizeof path);
    if (access(path, R_OK) != 0) {
        snprintf(error, error_size, "%s was not found: in the source tree, './x ladder' builds it (it requires %s)",
                 path, strcmp(which, "cuda") == 0 ? "nvcc" : "g++ and python3");
        return false;
    }
    return ladder_machine_open(path, info, error, error_size);
}

bool ladder_machine_open(const char *path, ladder_machine_info *info, char *error, size_t error_size) {
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const ladder_entry entry = handle ? (ladder_entry)dlsym(handle, LADDER_ENTRY) : NULL;
    if (!entry) {
        snprintf(error, error_size, "%s", dlerror());
        return false;
    }
    if (!entry(info, error, error_size)) return false;
    if (info->interface == LADDER_INTERFACE) return true;
    snprintf(error, error_size, "%s belongs to another release of weft than this command", path);
    return false;
}
