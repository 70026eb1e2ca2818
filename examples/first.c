/* The first program: cc first.c $(pkg-config --cflags --libs weft) -o first && ./first */
#include <stdio.h>
#include <weft.h>

int main(void) {
    const float a[] = {1.5f, -0.25f, 3.0f}, b[] = {2, 4, 8};
    float d;
    weft_context *ctx;
    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "%s\n", weft_last_error(NULL)), 1;
    const weft_status status = weft_dot(ctx, WEFT_F32, WEFT_DEFAULT, 3, a, b, &d);
    if (status == WEFT_OK)
        printf("a . b = %g, computed on %s\n", d, weft_device(ctx));
    else
        fprintf(stderr, "%s\n", weft_last_error(ctx));
    weft_close(ctx);
    return status != WEFT_OK;
}
