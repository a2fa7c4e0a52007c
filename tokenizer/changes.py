"""Where to look in a row that a step changed: all of a short row, stretches around the changes of a long one."""

from array import array

WHOLE = 400  # bytes; a row up to this long is shown whole
AROUND = 24  # bytes shown before and after a change in a longer row
WIDEST = 96  # bytes of changes in one stretch


def stretches(begin: int, end: int, cells: "array[int]") -> list[tuple[int, int]]:
    """Stretches of the cells from `begin` to `end` that show all changes at `cells` (ascending), in order.

    Changes that lie near each other share a stretch, up to a width, so that its size is bounded.
    """
    if end - begin <= WHOLE:
        return [(begin, end)]
    found: list[tuple[int, int]] = []
    first = last = cells[0]
    for cell in cells:
        if cell - last > 2 * AROUND or cell - first > WIDEST:
            found.append((first, last))
            first = cell
        last = cell
    found.append((first, last))
    return [(max(first - AROUND, begin), min(last + AROUND, end)) for first, last in found]
