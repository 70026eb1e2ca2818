/* Includes BODY once for each type in which a scan accumulates, with
 *   A            the type
 *   LANE         the unsigned integer of A's size;  SIGNED_LANE  the signed one
 *   IS_FLOAT     1 for float and double, else 0
 *   OWN_TYPE     A's dtype
 *   KEYS_OF      is true for a float type whose keys A contains
 *   MEMBER       of scan_state and scan_totals
 *   OF(name)     name_f32 ... name_u64
 * BODY undefines them (scan_end.h). */

#define A float
#define LANE uint32_t
#define SIGNED_LANE int32_t
#define IS_FLOAT 1
#define OWN_TYPE WEFT_F32
#define MEMBER f32
#define OF(name) name##_f32
#include BODY

#define A double
#define LANE uint64_t
#define SIGNED_LANE int64_t
#define IS_FLOAT 1
#define OWN_TYPE WEFT_F64
#define MEMBER f64
#define OF(name) name##_f64
#include BODY

#define A uint8_t
#define LANE uint8_t
#define SIGNED_LANE int8_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U8
#define MEMBER u8
#define OF(name) name##_u8
#include BODY

#define A uint16_t
#define LANE uint16_t
#define SIGNED_LANE int16_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U16
#define KEYS_OF(dtype) ((dtype) == WEFT_F16 || (dtype) == WEFT_BF16)
#define MEMBER u16
#define OF(name) name##_u16
#include BODY

#define A uint32_t
#define LANE uint32_t
#define SIGNED_LANE int32_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U32
#define KEYS_OF(dtype) ((dtype) == WEFT_F32)
#define MEMBER u32
#define OF(name) name##_u32
#include BODY

#define A uint64_t
#define LANE uint64_t
#define SIGNED_LANE int64_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U64
#define KEYS_OF(dtype) ((dtype) == WEFT_F64)
#define MEMBER u64
#define OF(name) name##_u64
#include BODY

#undef BODY
