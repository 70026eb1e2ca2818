/* Tests the SHA-256 hashes of `weft verify --digest` with the examples of FIPS 180-2 and with every length around the
 * end of a block. */
#include "tests/expect.h"
#include "verify/sha256.h"

#include <string.h>

/* Hashes `count` bytes, `step` at a time. */
static const char *hash_of(const void *bytes, size_t count, size_t step) {
    static char text[SHA256_TEXT];
    sha256 s;
    sha256_begin(&s);
    for (size_t i = 0; i < count; i += step)
        sha256_add(&s, (const char *)bytes + i, count - i < step ? count - i : step);
    sha256_end(&s, text);
    return text;
}

static void check(const char *bytes, size_t count, size_t step, const char *expected) {
    const char *const found = hash_of(bytes, count, step);
    EXPECT(strcmp(found, expected) == 0, "%zu bytes, %zu at a time: %s, expected %s", count, step, found, expected);
}

int main(void) {
    static char million[1000000];
    const char *const two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check(two_blocks, strlen(two_blocks), 1, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(million, 'a', sizeof million);
    for (size_t step = 1; step < 200; step += 13)
        check(million, sizeof million, step, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    for (size_t count = 54; count < 66; count++) { /* the same hash, however the bytes are divided */
        char whole[SHA256_TEXT];
        memcpy(whole, hash_of(million, count, count), sizeof whole);
        check(million, count, 7, whole);
    }
    return expect_end();
}
