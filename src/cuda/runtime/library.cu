/* Search for libraries that are loaded at run time. */
#include "cuda/runtime/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wanted {
    const char *const *names;
    size_t count;
    bool (*take)(void *library);
} wanted;

/* Loads the library from a directory; "" is the search path of the system's loader. */
static bool take_from(const wanted *w, const char *directory) {
    for (size_t i = 0; i < w->count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s%s%s", directory, *directory ? "/" : "", w->names[i]) >= (int)sizeof path)
            continue;
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        if (w->take(library)) return true;
        dlclose(library);
    }
    return false;
}

bool library_find(const char *const *names, size_t count, bool (*take)(void *library)) {
    const wanted w = {names, count, take};
    char directory[PATH_MAX];
    Dl_info self;
    const char *toolkit = getenv("CUDA_PATH");
    if (dladdr((const void *)library_find, &self) && strrchr(self.dli_fname, '/')) {
        snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(self.dli_fname, '/') - self.dli_fname),
                 self.dli_fname);
        if (take_from(&w, directory)) return true;
    }
    if (toolkit && *toolkit && snprintf(directory, sizeof directory, "%s/lib64", toolkit) < (int)sizeof directory &&
        take_from(&w, directory))
        return true;
    return take_from(&w, "") || take_from(&w, "/usr/local/cuda/lib64");
}
