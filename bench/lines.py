"""The lines that benchmarks measure, and how they print them when they run alone."""

from collections.abc import Iterable

# What, ours, reference, theirs, unit, largest ratio allowed.
Line = tuple[str, float, str, float, str, float]


def print_lines(lines: Iterable[Line]) -> bool:
    """Print each line with its ratio; return whether all are within their limits."""
    is_met = True
    for what, ours, reference, other, unit, limit in lines:
        is_met = is_met and ours <= limit * other
        ratio = f"ratio {ours / other:.3f}, at most {limit:.3g}"
        print(f"{what}: {ours:.3g} {unit}; {reference}: {other:.3g} {unit}; {ratio}", flush=True)
    return is_met
