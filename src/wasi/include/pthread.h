/* Threads for WASI, which has none: no thread can be created, so that locks are never contended. */
#ifndef WEFT_WASI_PTHREAD_H
#define WEFT_WASI_PTHREAD_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#define __NEED_pthread_t
#define __NEED_pthread_attr_t
#define __NEED_pthread_mutex_t
#define __NEED_pthread_cond_t
#define __NEED_pthread_once_t
#include <bits/alltypes.h>

#define PTHREAD_MUTEX_INITIALIZER \
    { 0 }
#define PTHREAD_ONCE_INIT 0

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                                 void *argument) {
    (void)thread, (void)attributes, (void)run, (void)argument;
    return ENOSYS;
}
static inline int pthread_join(pthread_t thread, void **result) { return (void)thread, (void)result, ESRCH; }
static inline pthread_t pthread_self(void) { return 0; }
static inline int pthread_kill(pthread_t thread, int number) { return (void)thread, raise(number); }
static inline int pthread_attr_init(pthread_attr_t *a) { return (void)a, 0; }
static inline int pthread_attr_destroy(pthread_attr_t *a) { return (void)a, 0; }
static inline int pthread_attr_setstacksize(pthread_attr_t *a, size_t bytes) { return (void)a, (void)bytes, 0; }
static inline int pthread_mutex_init(pthread_mutex_t *m, const void *attributes) {
    return (void)m, (void)attributes, 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *m) { return (void)m, 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *m) { return (void)m, 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *m) { return (void)m, 0; }
static inline int pthread_cond_init(pthread_cond_t *c, const void *attributes) {
    return (void)c, (void)attributes, 0;
}
static inline int pthread_cond_destroy(pthread_cond_t *c) { return (void)c, 0; }
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return (void)c, (void)m, 0; }
static inline int pthread_cond_broadcast(pthread_cond_t *c) { return (void)c, 0; }
static inline int pthread_cond_signal(pthread_cond_t *c) { return (void)c, 0; }
static inline int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
    return (void)before, (void)parent, (void)child, 0;
}
static inline int pthread_once(pthread_once_t *once, void (*run)(void)) {
    if (!*once) run();
    *once = 1;
    return 0;
}

#endif
