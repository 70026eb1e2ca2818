/* Copies of structures in kernels that Clang compiled: they are calls, whose accesses it does not report otherwise.
 */
#include "executor.h"

extern "C" {
void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    if (emulated::in_kernel) emulated::touch_copy(to, from, bytes);
    return memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes) {
    if (emulated::in_kernel) emulated::touch_copy(to, from, bytes);
    return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, size_t bytes) {
    if (emulated::in_kernel) emulated::touch_copy(to, nullptr, bytes);
    return memset(to, value, bytes);
}
}
