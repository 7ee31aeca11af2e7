"""PDFs for tests, written by hand: pages of lines or images, one that needs a password, and text in predefined CMaps."""

from collections.abc import Sequence
from typing import NamedTuple

LOCKED = b"/Encrypt <</Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <%s> /U <%s>>> /ID [<00> <00>]" % (
    b"61" * 32,
    b"62" * 32,
)


def pdf(pages: Sequence[Sequence[str]], *, locked: bool = False) -> bytes:
    """Return a PDF with these lines on its pages; a page without lines shows a filled box.

    `locked` requires a password.
    """
    count = len(pages)
    objects = [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Count %d /Kids [%s]>>" % (count, b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(count))),
        b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
    ]
    for number, lines in enumerate(pages):
        content = drawing(lines)
        objects.append(
            b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources <</Font <</F 3 0 R>>>> "
            b"/Contents %d 0 R>>" % (5 + 2 * number)
        )
        objects.append(b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content))
    return assembled(objects, LOCKED if locked else b"")


def drawn_pdf(operators: bytes, annotations: Sequence[bytes]) -> bytes:
    """Return a PDF whose last page is drawn by these operators, with these annotations, after 50 empty pages.

    Its font `/F` has three Arabic letters as they are drawn in a word, as `\\201`, `\\202` and `\\203`.
    """
    empty = range(6, 56)
    objects = [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Count 51 /Kids [%s 3 0 R]>>" % b" ".join(b"%d 0 R" % number for number in empty),
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources <</Font <</F 5 0 R>>>> /Contents 4 0 R "
        b"/Annots [%s]>>"
        % b" ".join(b"<</Type /Annot /Rect [50 600 150 620] /F 4 %s>>" % each for each in annotations),
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(operators), operators),
        b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding <</Type /Encoding /BaseEncoding /WinAnsiEncoding "
        b"/Differences [129 /uniFEAE /uniFECC /uniFEB3]>>>>",
        *[b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]>>" for _ in empty],
    ]
    return assembled(objects, b"")


class MappedLine(NamedTuple):
    """A line whose characters only a predefined CMap knows, with Python's name of the same encoding."""

    text: str
    cmap: str
    encoding: str
    ordering: str


def mapped_pdf(lines: Sequence[MappedLine]) -> bytes:
    """Return a PDF of one page, each line in a font that is not embedded and has no character names."""
    fonts = b" ".join(b"/F%d %d 0 R" % (i, 5 + 2 * i) for i in range(len(lines)))
    shown = [
        b"/F%d 12 Tf <%s> Tj" % (i, line.text.encode(line.encoding).hex().encode()) for i, line in enumerate(lines)
    ]
    content = b"BT 14 TL 50 750 Td " + b" T* ".join(shown) + b" ET"
    objects = [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Count 1 /Kids [3 0 R]>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources <</Font <<%s>>>> /Contents 4 0 R>>" % fonts,
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
    ]
    for i, line in enumerate(lines):
        system = b"<</Registry (Adobe) /Ordering (%s) /Supplement 2>>" % line.ordering.encode()
        objects += [
            b"<</Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /%s /DescendantFonts [%d 0 R]>>"
            % (line.cmap.encode(), 6 + 2 * i),
            b"<</Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo %s /FontDescriptor <</Type "
            b"/FontDescriptor /FontName /Song /Flags 4 /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 80 "
            b"/FontBBox [0 -120 1000 880]>>>>" % system,
        ]
    return assembled(objects, b"")


def drawing(lines: Sequence[str]) -> bytes:
    """Return the operators that show lines of 12 points, one below the other; an empty one is a gap."""
    if not lines:
        return b"0 0 400 400 re f"
    shown = [b"(%s) Tj" % line.encode("latin-1") for line in lines]
    return b"BT /F 12 Tf 14 TL 50 750 Td " + b" T* ".join(shown) + b" ET"


def assembled(objects: Sequence[bytes], more: bytes) -> bytes:
    """Return a file of these objects, with these additional entries in its trailer."""
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer\n<</Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (size, more, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + trailer
