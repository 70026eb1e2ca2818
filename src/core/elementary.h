/* Constants of the elementary functions (ORDER.md 18) and of the fast normals (19.4), shared by the specification and
 * the fast backends. Constants only. Lists of polynomial coefficients begin with the highest power. */
#ifndef WEFT_CORE_ELEMENTARY_H
#define WEFT_CORE_ELEMENTARY_H

/* Adding and subtracting this constant rounds x to an integer for |x| < 2^51. The integer is in the low bits of the
 * sum. */
#define WEFT_ROUNDER 0x1.8p52

/* ln 2 in two parts, the first of 42 bits: its product with an exponent is exact. */
#define WEFT_LN2_HIGH 0x1.62e42fefa38p-1
#define WEFT_LN2_LOW 0x1.ef35793c7673p-45

/* exp(r) = 1 + r + r^2 q(r), |r| <= ln 2 / 2, relative error 2^-61. */
#define WEFT_LOG2_E 0x1.71547652b82fep+0
#define WEFT_EXP_LEAST -746.0
#define WEFT_EXP_GREATEST 710.0
#define WEFT_EXP_Q                                                                                 \
    0x1.1f8710b959edap-29, 0x1.af4f19600e871p-26, 0x1.27e4cf9f09ac7p-22, 0x1.71de018a4f3f5p-19,    \
        0x1.a01a01ab9d95ap-16, 0x1.a01a01ac27466p-13, 0x1.6c16c16c1569dp-10, 0x1.1111111110045p-7, \
        0x1.5555555555557p-5, 0x1.5555555555557p-3, 0x1p-1

/* log((1 + s) / (1 - s)) = s (2 + z q(z)), z = s^2, |s| <= (sqrt 2 - 1) / (sqrt 2 + 1), relative error 2^-57. */
#define WEFT_LOG_Q                                                                                                \
    0x1.2b69b6dc842b2p-3, 0x1.39fcf7eb7daadp-3, 0x1.7462bf6599cfap-3, 0x1.c71c62c10c6cap-3, 0x1.2492492e0b364p-2, \
        0x1.9999999995243p-2, 0x1.5555555555558p-1

/* sqrt(1/2), its bits, and the difference of the bits of 1 and these bits. */
#define WEFT_SQRT_HALF 0x1.6a09e667f3bcdp-1
#define WEFT_SQRT_HALF_BITS UINT64_C(0x3fe6a09e667f3bcd)
#define WEFT_SQRT_HALF_TO_1 UINT64_C(0x00095f619980c433)

/* pi/2 in three parts, the first of 30 bits: its product with n is exact for |x| <= WEFT_NEAR. */
#define WEFT_NEAR 0x1p23
#define WEFT_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define WEFT_HALF_PI_1 0x1.921fb54p+0
#define WEFT_HALF_PI_2 0x1.10b4611a62633p-30
#define WEFT_HALF_PI_3 0x1.45c06e0e68948p-86

/* pi/2 as a sum of two numbers, and 64 zeros followed by the first 1216 binary digits of 2/pi. */
#define WEFT_HALF_PI_HIGH 0x1.921fb54442d18p+0
#define WEFT_HALF_PI_LOW 0x1.1a62633145c07p-54
#define WEFT_TWO_OVER_PI_DIGITS                                                                   \
    0, UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041),  \
        UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c), \
        UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484), UINT64_C(0xe99c7026b45f7e41), \
        UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f), \
        UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d), \
        UINT64_C(0x7527bac7ebe5f17b), UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08), \
        UINT64_C(0x56033046fc7b6bab)

/* sin r = r + r z s(z), cos r = 1 - z/2 + z^2 c(z), z = r^2, |r| <= pi/4, relative errors 2^-60. */
#define WEFT_SIN_S                                                                               \
    -0x1.8d67b88b4cfcp-41, 0x1.60e5edeb9bdc8p-33, -0x1.ae63f82457fd4p-26, 0x1.71de3a1047dcep-19, \
        -0x1.a01a019fe88b4p-13, 0x1.111111111101ep-7, -0x1.5555555555555p-3
#define WEFT_COS_C                                                                                \
    -0x1.90734695f1e39p-37, 0x1.1eeb578d5a106p-29, -0x1.27e4fa02b496dp-22, 0x1.a01a019f38265p-16, \
        -0x1.6c16c16c168cap-10, 0x1.5555555555555p-5

/* The logarithm for powers: log((1 + s) / (1 - s)) = s (2 + z (2/3 + z q(z))), relative error 2^-69; 2/3 is
 * WEFT_POW_TWO_THIRDS_HIGH + WEFT_POW_TWO_THIRDS_LOW. */
#define WEFT_POW_Q                                                                                               \
    0x1.dac8e26414f67p-4, 0x1.e01612c0b6e9ap-4, 0x1.111561024c8a7p-3, 0x1.3b13a9821cdbbp-3, 0x1.745d173d8f19p-3, \
        0x1.c71c71c74bc21p-3, 0x1.24924924923p-2, 0x1.999999999999ap-2
#define WEFT_POW_TWO_THIRDS_HIGH 0x1.5555555555555p-1
#define WEFT_POW_TWO_THIRDS_LOW 0x1.5555555555555p-55
/* Bound beyond which every power of a number other than 1 is 0 or infinite. */
#define WEFT_POW_GREATEST 0x1p64

/* erf x = x + x p(x^2), |x| < 1, error 2^-56 x; erf x = 1 - exp(g(x - 1)), 1 <= x <= 5.95, error 2^-59; then 1. */
#define WEFT_ERF_GREATEST 5.95
#define WEFT_ERF_P                                                                                    \
    0x1.29783048052bbp-34, -0x1.46794fecbb4b8p-30, 0x1.fc78cbcd5b242p-27, -0x1.5f9828c564078p-23,     \
        0x1.b9ee95850fe1bp-20, -0x1.f4d333884b60dp-17, 0x1.f9a335388d2f6p-14, -0x1.c02db49b09506p-11, \
        0x1.565bcd12991cp-8, -0x1.b82ce312abf08p-6, 0x1.ce2f21a04362dp-4, -0x1.812746b0379fdp-2,      \
        0x1.06eba8214db69p-3
#define WEFT_ERF_G                                                                                    \
    0x1.247b85ff14557p-40, -0x1.faee22dc4419fp-36, 0x1.94e4ae2b5c0cbp-32, -0x1.89a16646bbe42p-29,     \
        0x1.002d31e2c23a7p-26, -0x1.bf00683611ceap-25, 0x1.a2f66929f4cc3p-24, 0x1.32d2895a6a802p-23,  \
        -0x1.147536a6c7001p-19, 0x1.426bd16f26dbcp-17, -0x1.c7a77eb56b111p-16, 0x1.b8de9c9e19806p-16, \
        0x1.f1b389839cf4ap-13, -0x1.033f65b026325p-9, 0x1.48c9d3eb1efebp-7, -0x1.5477f09c036dcp-5,    \
        -0x1.afabc11a295f4p-1, -0x1.51c9b0006c236p1, -0x1.d97fbf27aa2a1p0

/* The inverse of the normal distribution function at p, with q = |p - 1/2| and r = sqrt(-log min(p, 1 - p)):
 * sqrt(2 pi) q + q^3 (a/b)(0.425^2 - q^2), q <= 0.425; else sqrt(2) r - (c/d)(r - 1.6), r <= 5; else
 * sqrt(2) r - (e/f)(r - 5). Relative errors 2^-56. */
#define WEFT_PROBIT_MIDDLE 0.425
#define WEFT_SQRT_2 0x1.6a09e667f3bcdp+0
#define WEFT_SQRT_2PI_HIGH 0x1.40d931ff62706p+1
#define WEFT_SQRT_2PI_LOW -0x1.a6a0d6f814637p-53
#define WEFT_PROBIT_A                                                                          \
    0x1.1d5b0a394bb1dp+9, 0x1.1e37cd73c84c9p+15, 0x1.504b2846369f8p+16, 0x1.e594f135475dcp+15, \
        0x1.2a6c3b7c18ad7p+14, 0x1.5c41e8c8c6aa6p+11, 0x1.7c455604df082p+7, 0x1.37fc2a497deaap+2
#define WEFT_PROBIT_B                                                                          \
    0x1.36ec05bd16e2p+14, 0x1.08be2d02f78d2p+16, 0x1.1053593ffede8p+16, 0x1.e53652f44fae8p+14, \
        0x1.ae21bb424c895p+12, 0x1.8ba5528e3cde9p+9, 0x1.683a043150b76p+5, 0x1p+0
#define WEFT_PROBIT_C                                                                                              \
    0x1.2d7c3dbcf2155p-24, 0x1.156de209ec2cp-14, 0x1.993ba195500b6p-9, 0x1.74f9849ff5d9ep-5, 0x1.2ab41921600c3p-2, \
        0x1.da4f0d7698f81p-1, 0x1.6c69f524e303dp+0, 0x1.adb954c2ae754p-1
#define WEFT_PROBIT_D                                                                                              \
    0x1.eee2c4f9c77c8p-17, 0x1.f799ffb1e7baep-11, 0x1.2ee5e4af002fp-6, 0x1.4343c1fad7b67p-3, 0x1.65eed3647ef67p-1, \
        0x1.ac2fc6ea6efc1p+0, 0x1.05dbe6328bf2ap+1, 0x1p+0
#define WEFT_PROBIT_E                                                                           \
    0x1.bebf1f5155341p-41, 0x1.52950ee55321ep-28, 0x1.4d56be380f14ep-20, 0x1.7810951581d32p-14, \
        0x1.5405c3918d085p-9, 0x1.14d44b6401316p-5, 0x1.92a9542f7697ap-3, 0x1.a7143ee02599ep-2
#define WEFT_PROBIT_F                                                                           \
    0x1.dfff39631282ap-31, 0x1.3055252a27fa3p-22, 0x1.aa87b3a79c793p-16, 0x1.e8ad7bfca2fd3p-11, \
        0x1.0b30df33e362ap-6, 0x1.25f4b61470cfep-3, 0x1.38f97daa65c91p-1, 0x1p+0

/* Fast normals, in f32. FAST_SHRINK is 2^-32 - 2^-56. 2^-23 h FAST_LOG(h) = 2h - log2(1 + h), -1/2 <= h < 0; the
 * relative error of the logarithm is 2^-25.1. With the unit k = sqrt(2 ln 2 / 2^23): x FAST_SIN(x^2) = k sin(pi/2 x)
 * and FAST_COS(x^2) = k cos(pi/2 x), |x| <= 1/2, relative errors 2^-26.3 and 2^-24.6. */
#define WEFT_FAST_SHRINK 0x1.fffffep-33f
#define WEFT_FAST_LOG                                                                                    \
    -0x1.1110d8p24f, -0x1.471114p24f, -0x1.e724fep23f, -0x1.532028p21f, -0x1.9758a4p21f, 0x1.658b14p21f, \
        -0x1.ed0e3ap21f, 0x1.7152e2p22f, 0x1.1d5712p22f
#define WEFT_FAST_LOG_TERMS 9
#define WEFT_FAST_SIN -0x1.f53b2ap-20f, 0x1.0fb532p-15f, -0x1.135a74p-12f, 0x1.4eca42p-11f
#define WEFT_FAST_COS -0x1.162dfap-17f, 0x1.b064dap-14f, -0x1.06f15p-11f, 0x1.aa4498p-12f

/* Their exponentials, in f32: exp(r) = FAST_EXP(r), |r| <= ln 2 / 2, relative error 2^-28. ln 2 is FAST_LN2_HIGH +
 * FAST_LN2_LOW. Adding and subtracting FAST_ROUNDER rounds x to an integer for |x| < 2^22. */
#define WEFT_FAST_ROUNDER 0x1.8p23f
#define WEFT_FAST_LOG2_E 0x1.715476p0f
#define WEFT_FAST_LN2_HIGH 0x1.62e43p-1f
#define WEFT_FAST_LN2_LOW -0x1.05c61p-29f
#define WEFT_FAST_EXP_LEAST -104.0f
#define WEFT_FAST_EXP_GREATEST 89.0f
#define WEFT_FAST_EXP 0x1.685148p-10f, 0x1.123bd8p-7f, 0x1.555b98p-5f, 0x1.55548ep-3f, 0x1.fffff8p-2f, 1.0f, 1.0f
#define WEFT_FAST_EXP_TERMS 7

#endif
