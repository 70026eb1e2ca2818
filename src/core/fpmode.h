/* Floating-point mode: round to nearest, subnormals kept. The caller or another library in the process may have
 * changed it, and each thread has its own. weft therefore sets it on entry to every call and at the start of every
 * worker thread, and restores the previous mode. */
#ifndef WEFT_CORE_FPMODE_H
#define WEFT_CORE_FPMODE_H

#include <stdint.h>

/* The macros are those of GCC. Clang defines only __FAST_MATH__ and __FINITE_MATH_ONLY__. */
#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__ + 0 || defined(__ASSOCIATIVE_MATH__) || \
    defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__) ||                        \
    (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)
#error "weft needs strict IEEE arithmetic: no -ffast-math, and SSE arithmetic on 32-bit x86"
#endif

#if defined(__x86_64__) || defined(__SSE2__)

#include <xmmintrin.h>

typedef unsigned weft_fpmode;

/* On Zen 4 it takes 16 cycles to read the register and 2 to write it, so it is read once. Its lowest six bits, the
 * exceptions that occurred, do not change results. */
static inline weft_fpmode weft_fpmode_enter(void) {
    const unsigned found = _mm_getcsr(), usual = 0x1f80; /* exceptions masked, round to nearest, no flush to zero */
    if ((found & ~0x3fu) != usual) _mm_setcsr(usual);
    return found;
}

static inline void weft_fpmode_leave(weft_fpmode found) { _mm_setcsr(found); }

#elif defined(__aarch64__)

typedef uint64_t weft_fpmode;

static inline weft_fpmode weft_fpmode_enter(void) {
    weft_fpmode found;
    __asm__ volatile("mrs %0, fpcr" : "=r"(found));
    __asm__ volatile("msr fpcr, %0" ::"r"((weft_fpmode)0) : "memory");
    return found;
}

static inline void weft_fpmode_leave(weft_fpmode found) { __asm__ volatile("msr fpcr, %0" ::"r"(found) : "memory"); }

#elif defined(__wasm__) /* has no other mode */

typedef struct weft_fpmode {
    char none;
} weft_fpmode;

static inline weft_fpmode weft_fpmode_enter(void) { return (weft_fpmode){0}; }
static inline void weft_fpmode_leave(weft_fpmode found) { (void)found; }

#elif defined(__powerpc64__) && defined(__ALTIVEC__)

#include <fenv.h>

/* The instructions of VMX have a mode of their own, in which they flush subnormals when a Linux program starts. */
typedef unsigned weft_vmx_mode __attribute__((vector_size(16)));

typedef struct weft_fpmode {
    fenv_t scalar;
    weft_vmx_mode vmx;
} weft_fpmode;

static inline weft_fpmode weft_fpmode_enter(void) {
    const weft_vmx_mode usual = {0};
    weft_fpmode found;
    fegetenv(&found.scalar);
    fesetenv(FE_DFL_ENV);
    __asm__ volatile("mfvscr %0" : "=v"(found.vmx));
    __asm__ volatile("mtvscr %0" ::"v"(usual) : "memory");
    return found;
}

static inline void weft_fpmode_leave(weft_fpmode found) {
    fesetenv(&found.scalar);
    __asm__ volatile("mtvscr %0" ::"v"(found.vmx) : "memory");
}

#else

#include <fenv.h>

typedef fenv_t weft_fpmode;

static inline weft_fpmode weft_fpmode_enter(void) {
    fenv_t found;
    fegetenv(&found);
    fesetenv(FE_DFL_ENV);
    return found;
}

static inline void weft_fpmode_leave(weft_fpmode found) { fesetenv(&found); }

#endif
#endif
