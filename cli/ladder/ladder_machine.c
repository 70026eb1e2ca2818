/* Loads the machines of the ladder, which are shared libraries loaded on demand, like the CUDA backend. */
#include "cli/ladder/ladder_climb.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the library of a machine: in $WEFT_PLUGIN_DIR if set, otherwise in the directory that libweft.so was loaded
 * from. There it is in the subdirectory weft if installed, or next to libweft.so in a build tree. */
static void machine_path(const char *which, char *path, size_t size) {
    const char *directory = getenv("WEFT_PLUGIN_DIR");
    size_t length = directory ? strlen(directory) : 0;
    Dl_info library;
    if (!directory) {
        const char *file = dladdr((void *)weft_version, &library) && library.dli_fname ? library.dli_fname : "";
        const char *slash = strrchr(file, '/');
        directory = slash ? file : ".";
        length = slash ? (size_t)(slash - file) : 1;
    }
    snprintf(path, size, "%.*s/weft/libweft_ladder_%s.so", (int)length, directory, which);
    if (access(path, F_OK) != 0) snprintf(path, size, "%.*s/libweft_ladder_%s.so", (int)length, directory, which);
}

bool ladder_machine_load(const char *which, ladder_machine_info *info, char *error, size_t error_size) {
    char path[4096];
    machine_path(which, path, sizeof path);
    if (access(path, R_OK) != 0) {
        snprintf(error, error_size, "%s was not found: in the source tree, './x ladder' builds it (it requires %s)",
                 path, strcmp(which, "cuda") == 0 ? "nvcc" : "g++ and python3");
        return false;
    }
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
