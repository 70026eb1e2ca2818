/* On a machine where no GPU can be used, the plugin loads all the same and says why, in a sentence; the
 * CPU goes on working. Exits with 77 (skipped) where there is a GPU. */
#include "weft.h"

#include <stdio.h>
#include <string.h>

int main(void) {
    weft_context *ctx = NULL;
    const weft_status status = weft_open(&ctx, "cuda");
    if (status == WEFT_OK) {
        weft_close(ctx);
        puts("skipped: there is a GPU");
        return 77;
    }
    const char *why = weft_last_error(NULL);
    printf("%s: %s\n", weft_status_name(status), why);
    if (status != WEFT_NO_DEVICE || ctx != NULL || strlen(why) < 20) return 1;
    if (strstr(why, "no CUDA backend")) return 1; /* the plugin itself was not found or did not load */

    const float x[3] = {1, 2, 4};
    float total = 0;
    if (weft_device_count() != 1 || weft_open(&ctx, "auto") != WEFT_OK) return 1;
    if (weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 3, x, &total) != WEFT_OK || total != 7) return 1;
    weft_close(ctx);
    return 0;
}
