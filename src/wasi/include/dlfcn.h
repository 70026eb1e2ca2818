/* Shared libraries for WASI, which has none: every one fails to load. */
#ifndef WEFT_WASI_DLFCN_H
#define WEFT_WASI_DLFCN_H

#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_LOCAL 0
#define RTLD_GLOBAL 0x100

typedef struct Dl_info {
    const char *dli_fname;
} Dl_info;

static inline int dladdr(const void *address, Dl_info *info) {
    (void)address;
    info->dli_fname = "weft.wasm";
    return 1;
}
static inline void *dlopen(const char *path, int mode) { return (void)path, (void)mode, (void *)0; }
static inline void *dlsym(void *handle, const char *name) { return (void)handle, (void)name, (void *)0; }
static inline char *dlerror(void) { return (char *)"WebAssembly loads no shared libraries"; }
static inline int dlclose(void *handle) { return (void)handle, 0; }

#endif
