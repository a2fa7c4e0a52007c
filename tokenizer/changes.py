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
    first, last = cells[0] - AROUND, cells[0]
    for cell in cells:
        if cell - last > 2 * AROUND:
            found.append((first, last + AROUND))
            first = cell - AROUND
        elif cell - first > WIDEST + AROUND:
            found.append((first, last + 1))  # the next change is near: the next stretch begins with it
            first = cell
        last = cell
    found.append((first, last + AROUND))
    return [(max(first, begin), min(last, end)) for first, last in found]
