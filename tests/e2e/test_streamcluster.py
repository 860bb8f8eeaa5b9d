"""The example for streams: its centres against the points' true clusters and another algorithm."""

import random
import subprocess

import pytest

DIMENSIONS = 4


def run(build, *arguments, points=(), text=None):
    if text is None:
        text = "".join(" ".join(f"{x:.6f}" for x in point) + "\n" for point in points)
    return subprocess.run([build / "apps/streamcluster", *map(str, arguments)], input=text,
                          capture_output=True, text=True, timeout=300)


def clusters(build, count, points):
    done = run(build, count, points=points)
    assert done.returncode == 0, done.stderr
    rows = [list(map(float, line.split())) for line in done.stdout.splitlines()]
    return [(row[:-1], row[-1]) for row in rows]


def squared_distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b))


def cost(centres, points):
    return sum(min(squared_distance(c, p) for c in centres) for p in points)


def k_means(points, count, rounds=20, tries=3):
    """All points at once, from random ones of them: the best of some tries."""
    generator = random.Random(2)
    best = None
    for _ in range(tries):
        centres = generator.sample(points, count)
        for _ in range(rounds):
            groups = [[] for _ in centres]
            for p in points:
                groups[min(range(count), key=lambda c: squared_distance(centres[c], p))].append(p)
            centres = [[sum(xs) / len(group) for xs in zip(*group)] if group else centre
                       for group, centre in zip(groups, centres)]
        found = cost(centres, points)
        best = found if best is None else min(best, found)
    return best


@pytest.mark.parametrize("size", [35_000, 30_000 - 2 * 6, 9_999])  # a short last chunk, none, one only
def test_clusters_that_are_apart_are_found_exactly(build, size):
    generator = random.Random(size)
    middles = [[generator.randrange(0, 100) * 10 for _ in range(DIMENSIONS)] for _ in range(6)]
    groups = [[] for _ in middles]
    points = []
    for _ in range(size):
        which = generator.randrange(len(middles))
        points.append([x + generator.uniform(-1, 1) for x in middles[which]])
        groups[which].append(points[-1])
    found = clusters(build, len(middles), points)
    assert len(found) == len(middles)
    for group in groups:
        mean = [sum(xs) / len(group) for xs in zip(*group)]
        centre, weight = min(found, key=lambda row: squared_distance(row[0], mean))
        assert weight == len(group)
        assert centre == pytest.approx(mean, abs=1e-5)


def test_clusters_that_overlap_cost_little_more_than_by_all_points_at_once(build):
    generator = random.Random(5)
    middles = [[generator.uniform(0, 4) for _ in range(DIMENSIONS)] for _ in range(5)]
    points = [[generator.gauss(x, 1) for x in generator.choice(middles)] for _ in range(12_000)]
    found = clusters(build, 5, points)
    assert sum(weight for _, weight in found) == len(points)
    sample = points[::8]
    assert cost([centre for centre, _ in found], sample) <= 1.15 * k_means(sample, 5)


def test_fewer_points_than_centres_and_none(build):
    assert clusters(build, 3, [[1, 2, 3, 4]] * 2) == [([1, 2, 3, 4], 2)]
    assert clusters(build, 3, []) == []


def test_bad_calls_are_refused(build):
    for arguments in [[], ["0"], ["5001"], ["x"], ["-1"], ["2", "3"]]:
        done = run(build, *arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


def test_bad_points_are_refused(build):
    for text in ["1 2 3 x\n", "1 2 3 4\n5 6\n"]:
        done = run(build, "1", text=text)
        assert done.returncode == 2
        assert "a point that isn't four numbers" in done.stderr
