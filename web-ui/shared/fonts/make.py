"""Makes the three small files beside this one: the two Uzbek apostrophe letters of Nunito with narrower sides.

Nunito draws U+02BB (in oʻ and gʻ) on a full 500 units, which tears every Uzbek word apart. The letters stay as they are,
only their side bearings shrink. To run: a Python with fonttools and brotli, from the folder `web-ui/shared/fonts`.
"""

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

SOURCE = "../../node_modules/@fontsource/nunito/files/nunito-latin-{weight}-normal.woff2"
LETTERS = (0x02BB, 0x02BC)
LEFT, RIGHT = 48, 56

for weight in (600, 800, 900):
    font = TTFont(SOURCE.format(weight=weight))
    options = Options()
    options.flavor = "woff2"
    options.layout_features = []
    options.hinting = False
    options.name_IDs = [0, 1, 2, 13, 14]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=LETTERS)
    subsetter.subset(font)
    cmap = font.getBestCmap()
    for letter in LETTERS:
        name = cmap[letter]
        glyph = font["glyf"][name]
        glyph.coordinates.translate((LEFT - glyph.xMin, 0))
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (glyph.xMax + RIGHT, LEFT)
    font.flavor = "woff2"
    font.save(f"nunito-uzbek-{weight}.woff2")
