"""Screenshots without an image library: pixels, and the regions that they form."""

import struct
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True)
class Region:
    """Connected pixels."""

    pixels: frozenset[tuple[int, int]]

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom; the last two are inclusive."""
        columns, rows = {x for x, _ in self.pixels}, {y for _, y in self.pixels}
        return min(columns), min(rows), max(columns), max(rows)

    @property
    def width(self) -> int:
        """Columns."""
        return self.box[2] - self.box[0] + 1

    @property
    def height(self) -> int:
        """Rows."""
        return self.box[3] - self.box[1] + 1


class Picture:
    """An RGB image."""

    def __init__(self, width: int, height: int, rows: list[bytes], depth: int) -> None:
        self.width, self.height = width, height
        self._rows, self._depth = rows, depth

    @staticmethod
    def of_png(data: bytes) -> "Picture":
        """Read a PNG of 8 bits per channel, not interlaced, as browsers write them."""
        width, height, bits, kind, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
        if (bits, interlaced) != (8, 0) or kind not in (2, 6):
            raise ValueError("this PNG is not as browsers write them")
        depth, at, packed = {2: 3, 6: 4}[kind], 8, b""
        while at < len(data):
            (length,) = struct.unpack(">I", data[at : at + 4])
            if data[at + 4 : at + 8] == b"IDAT":
                packed += data[at + 8 : at + 8 + length]
            at += length + 12
        raw, stride = zlib.decompress(packed), width * depth + 1
        rows: list[bytes] = [bytes(stride - 1)]
        for start in range(0, stride * height, stride):
            rows.append(unfiltered(raw[start], bytearray(raw[start + 1 : start + stride]), rows[-1], depth))
        return Picture(width, height, rows[1:], depth)

    def __getitem__(self, point: tuple[int, int]) -> Colour:
        """Return the color of a pixel, by column and row."""
        x, y = point
        red, green, blue = self._rows[y][x * self._depth : x * self._depth + 3]
        return red, green, blue

    def colours(self) -> Counter[Colour]:
        """Count the pixels of each color."""
        return Counter(self[x, y] for y in range(self.height) for x in range(self.width))

    def regions(self, belongs: Callable[[Colour], bool], fewest: int = 4) -> list[Region]:
        """Return the regions, connected across corners too, of pixels whose color matches; largest first."""
        left = {(x, y) for y in range(self.height) for x in range(self.width) if belongs(self[x, y])}
        found: list[Region] = []
        while left:
            edge = [left.pop()]
            pixels = set(edge)
            while edge:
                x, y = edge.pop()
                near = {(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & left
                left -= near
                pixels |= near
                edge += near
            if len(pixels) >= fewest:
                found.append(Region(frozenset(pixels)))
        return sorted(found, key=lambda region: -len(region.pixels))


def unfiltered(kind: int, row: bytearray, above: bytes, depth: int) -> bytes:
    """Undo the filter of a PNG's row."""
    for at in range(len(row)) if kind else ():
        left = row[at - depth] if at >= depth else 0
        corner = above[at - depth] if at >= depth else 0
        guess = {1: left, 2: above[at], 3: (left + above[at]) // 2, 4: paeth(left, above[at], corner)}[kind]
        row[at] = (row[at] + guess) & 255
    return bytes(row)


def paeth(left: int, above: int, corner: int) -> int:
    """Return the neighbor that is closest to left + above - corner."""
    far = [(abs(above - corner), 0, left), (abs(left - corner), 1, above), (abs(left + above - 2 * corner), 2, corner)]
    return min(far)[2]
