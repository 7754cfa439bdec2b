"""What the Python peers share: arguments, rounds, files."""

import sys
import time
from pathlib import Path

from PIL import Image

SIDE, MARGIN, OUTLINE = 512, 15, 9
CELLS = [(column, row) for row in range(3) for column in range(3)]


def run(pack):
    """Runs `pack(sheet, key)` as often as told, prints the median's CPU and wall time in ms, and writes what the last round made.

    `pack` answers nine of (WEBP bytes, left and top on the sheet, cut figure as an RGBA array).
    """
    sheet, out, key, rounds = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    data = sheet.read_bytes()
    times, made = [], None
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        made = pack(data, key)
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    times.sort()
    cpu, wall = times[len(times) // 2]
    for place, (webp, left, top, cut) in enumerate(made):
        (out / f"{place}.webp").write_bytes(webp)
        Image.fromarray(cut).save(out / f"cut_{place}_{left}_{top}.png", compress_level=1)
    print(f"{cpu * 1000:.1f} {wall * 1000:.1f}")
