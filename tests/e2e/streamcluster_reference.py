"""A slow reference of Streamcluster: one thread, sequential steps, sums in the order of the points and of the
dimensions, and every trial of a centre computed from scratch. The output of apps/streamcluster.cpp --scalar is
compared with it byte by byte."""

import math

import numpy as np

F = np.float32


class Draws:
    """POSIX's lrand48() after srand48(1)."""

    def __init__(self):
        self.state = (1 << 16) + 0x330E

    def whole(self):
        self.state = (0x5DEECE66D * self.state + 0xB) % (1 << 48)
        return self.state >> 17

    def unit(self):
        return F(self.whole()) / F(2**31 - 1)


class Points:
    def __init__(self, coordinates, weights, rows=None):
        """`rows` contains the row of each point in the chunk's block; it is permuted with the points."""
        self.rows = rows
        self.coordinates = np.array(coordinates, F)
        self.weights = np.array(weights, F)
        self.centres = np.zeros(len(self.weights), int)
        self.costs = np.zeros(len(self.weights), F)

    def __len__(self):
        return len(self.weights)

    def exchange(self, i, j):
        self.coordinates[[i, j]] = self.coordinates[[j, i]]
        self.weights[[i, j]] = self.weights[[j, i]]
        if self.rows is not None:
            self.rows[[i, j]] = self.rows[[j, i]]

    def costs_with(self, x):
        total = np.zeros(len(self), F)
        for d in range(self.coordinates.shape[1]):
            difference = self.coordinates[:, d] - self.coordinates[x, d]
            total += difference * difference
        return total * self.weights


def in_order(values):
    return float(np.cumsum(np.asarray(values, np.float64))[-1]) if len(values) else 0.0


class Search:
    def __init__(self, points, least, most, draws):
        self.p, self.least, self.most, self.draws = points, least, most, draws

    def tries(self, k):
        return int(3 * k * math.log(k))

    def shuffle(self):
        n = len(self.p)
        for i in range(n - 1):
            self.p.exchange(i, i + self.draws.whole() % (n - i))

    def speedy(self, price):
        p, price = self.p, F(price)
        p.costs, p.centres[:] = p.costs_with(0), 0
        self.k = 1
        for i in range(1, len(p)):
            with np.errstate(divide="ignore", invalid="ignore"):
                opens = self.draws.unit() < p.costs[i] / price
            if opens:
                self.k += 1
                costs = p.costs_with(i)
                cheaper = costs < p.costs
                p.costs[cheaper], p.centres[cheaper] = costs[cheaper], i
        return float(F(float(price * F(self.k)) + in_order(p.costs)))

    def attempt(self, x, price):
        p, costs = self.p, self.p.costs_with(x)
        cheaper = costs < p.costs
        saved = in_order((costs - p.costs)[cheaper])
        closed = []
        for centre in np.unique(p.centres):
            low = price + in_order((p.costs - costs)[~cheaper & (p.centres == centre)])
            if low > 0:
                closed.append(centre)
                saved -= low
        if price + saved >= 0:
            return 0.0
        moved = cheaper | np.isin(p.centres, closed)
        p.costs[moved], p.centres[moved] = costs[moved], x
        self.k += 1 - len(closed)
        return -(price + saved)

    def improve(self, candidates, price, cost, bound):
        change, price = cost, float(F(price))
        if not candidates:
            return cost
        while cost > 0 and change / cost > float(F(bound)):
            change, m = 0.0, len(candidates)
            for i in range(m):
                j = i + self.draws.whole() % (m - i)
                candidates[i], candidates[j] = candidates[j], candidates[i]
            for i in range(self.tries(self.most)):
                change += self.attempt(candidates[i % m], price)
            cost -= change
        return float(F(cost))

    def run(self):
        p, least, most = self.p, self.least, self.most
        high, low = in_order(p.costs_with(0)), 0.0
        price = high / 2
        if len(p) <= most:
            p.centres, p.costs = np.arange(len(p)), np.zeros(len(p), F)
            return
        self.shuffle()
        cost = self.speedy(price)
        if self.k < least:
            cost = self.speedy(price)
        while self.k < least and p.costs.any():
            high, price = price, (price + low) / 2
            self.shuffle()
            cost = self.speedy(price)
        m = self.tries(least)
        if len(p) <= m:
            candidates = list(range(len(p)))
        else:
            up_to = np.cumsum(p.weights, dtype=F)
            candidates = []
            for _ in range(m):
                drawn = self.draws.unit() * up_to[-1]
                candidates.append(next((i for i, w in enumerate(up_to) if w > drawn), len(p) - 1))
        while self.k >= least or p.costs.any():
            cost = self.improve(candidates, price, cost, 0.1)
            if 0.9 * least <= self.k <= 1.1 * most or least - 2 <= self.k <= most + 2:
                cost = self.improve(candidates, price, cost, 0.001)
            if self.k > most:
                low, price = price, (high + price) / 2
                cost += (price - low) * self.k
            if self.k < least:
                high, price = price, (price + low) / 2
                cost += (price - high) * self.k
            if least <= self.k <= most or low >= 0.999 * high:
                break


def move_to_means(p):
    for i in range(len(p)):
        centre = p.centres[i]
        if centre == i:
            continue
        part = p.weights[i] / (p.weights[centre] + p.weights[i])
        kept = (p.coordinates[centre].astype(np.float64) * (1.0 - float(part))).astype(F)
        p.coordinates[centre] = kept + p.coordinates[i] * part
        p.weights[centre] += p.weights[i]


def outfile(k1, k2, d, n, chunksize, points=None):
    """Returns the text that the program writes; `points` are rows that are read instead of generated."""
    draws = Draws()
    block = np.zeros((chunksize, d), F)
    rows = np.arange(chunksize)  # row of each point in the block
    kept, weights, ids, before = [], [], [], 0
    n = n if points is None else len(points)
    while before < n:
        count = min(chunksize, n - before)
        for i in range(count):
            block[i] = points[before + i] if points is not None else [draws.unit() for _ in range(d)]
        p = Points(block[rows[:count]], np.ones(count), rows)
        Search(p, k1, k2, draws).run()
        move_to_means(p)
        block[rows[:count]] = p.coordinates  # a short last chunk may use rows of the previous one
        for i in range(count):
            if p.centres[i] == i:
                kept.append(p.coordinates[i].copy())
                weights.append(p.weights[i])
                ids.append(before + i)
        before += count
    p = Points(kept, weights)
    Search(p, k1, k2, draws).run()
    move_to_means(p)
    text = ""
    for i in sorted(set(p.centres.tolist())):
        text += f"{ids[i]}\n{p.weights[i]:f}\n" + "".join(f"{x:f} " for x in p.coordinates[i]) + "\n\n"
    return text
