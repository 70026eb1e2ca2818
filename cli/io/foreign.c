#include "cli/io/foreign.h"

#include "cli/io/npy/npy_header.h"

#include <string.h>

typedef struct format {
    const char *magic;
    size_t bytes;
    const char *text; /* the format, and how to convert the file */
} format;

#define MAGIC(literal) literal, sizeof literal - 1
static const format FORMATS[] = {
    {MAGIC("PK\3\4"), "a zip archive, possibly .npz; unpack it with unzip and use one of the .npy files in it"},
    {MAGIC("PK\5\6"), "an empty zip archive"},
    {MAGIC("\x1f\x8b"), "compressed with gzip; pipe the output of 'gzip -dc FILE' and use - as the file"},
    {MAGIC("\x28\xb5\x2f\xfd"), "compressed with zstd; pipe the output of 'zstd -dc FILE' and use - as the file"},
    {MAGIC("\xfd"
           "7zXZ"),
     "compressed with xz; pipe the output of 'xz -dc FILE' and use - as the file"},
    {MAGIC("BZh"), "compressed with bzip2; pipe the output of 'bzip2 -dc FILE' and use - as the file"},
    {MAGIC("\x89HDF\r\n\x1a\n"), "an HDF5 file; save one of its data sets with numpy.save"},
    {MAGIC("\x89PNG\r\n\x1a\n"), "a PNG picture; save its pixels with numpy.save"},
    {MAGIC("PAR1"), "a Parquet file; save one of its columns with numpy.save"},
    {MAGIC("ARROW1"), "an Arrow file; save one of its columns with numpy.save"},
    {MAGIC("\xff\xfe"), "text in UTF-16; convert it to UTF-8 and read a column of it with --column NAME"},
    {MAGIC("\xfe\xff"), "text in UTF-16; convert it to UTF-8 and read a column of it with --column NAME"},
};

static bool is_text(const unsigned char *p, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if ((p[i] < ' ' && !strchr("\t\n\r", p[i])) || p[i] == '\0' || p[i] == 0x7f) return false;
    return true;
}

bool foreign_fail(const unsigned char *p, size_t bytes, npy_error *error) {
    enum { LOOKED_AT = 512 };
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (bytes >= FORMATS[i].bytes && memcmp(p, FORMATS[i].magic, FORMATS[i].bytes) == 0)
            return npy_fail(error, "is not a .npy file: it is %s", FORMATS[i].text);
    if (is_text(p, bytes < LOOKED_AT ? bytes : LOOKED_AT))
        return npy_fail(error, "is not a .npy file: it is text (--column NAME reads a column of a CSV or TSV file)");
    return npy_fail(error,
                    "is not a .npy file (it does not begin with \\x93NUMPY); --raw TYPE reads an array without a "
                    "header");
}
