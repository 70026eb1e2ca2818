"""Histogram equalisation of a grey picture: equalise.py [IN.png OUT.png]

The histogram's running sum says how many pixels are not brighter than a level; spread evenly it becomes the new level,
and a picture in which most pixels are alike shows its differences. PNG files need Pillow; without files a dark picture
of 256 x 256 is made.
"""

import sys

import numpy as np

import pyweft as weft

if len(sys.argv) > 2:
    from PIL import Image

    picture = np.asarray(Image.open(sys.argv[1]).convert("L"))
else:
    picture = np.random.default_rng(1).normal(40, 8, (256, 256)).clip(0, 255).astype(np.uint8)

counts = weft.histogram(picture, 256, range=(0, 255))
below = weft.cumsum(counts)
first = below[weft.argmax(counts > 0)]
spread = max(1, picture.size - int(first))
levels = (np.maximum(below.astype(np.int64) - int(first), 0) * 255 // spread).astype(np.uint8)
equal = levels[picture]

print(f"levels used: {weft.min(picture)} to {weft.max(picture)} before, {weft.min(equal)} to {weft.max(equal)} after")
if len(sys.argv) > 2:
    Image.fromarray(equal).save(sys.argv[2])
