/* A plugin of qemu-user that counts the instructions of a program and prints their number to stderr when it ends. The
 * declarations are those of qemu-plugin.h, version 1 of the interface, which Debian does not package. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))
typedef uint64_t plugin_id;
struct block;
enum { INLINE_ADD_U64 = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translated)(plugin_id, struct block *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct block *block, int operation, void *counter, uint64_t amount);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*ended)(plugin_id, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct block *block);

EXPORT int qemu_plugin_version = 1;
static uint64_t instructions;

static void count(plugin_id id, struct block *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD_U64, &instructions, qemu_plugin_tb_n_insns(block));
}

static void tell(plugin_id id, void *data) {
    (void)id, (void)data;
    fprintf(stderr, "instructions %" PRIu64 "\n", instructions);
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);
EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count);
    qemu_plugin_register_atexit_cb(id, tell, NULL);
    return 0;
}
