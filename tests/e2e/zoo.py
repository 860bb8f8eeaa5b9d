"""The zoo (tests/zoo): programs that report their accesses, and results derived from these reports access by access,
independent of Atoll."""

import collections
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "zoo"
sys.path.insert(0, str(SOURCE.parents[1] / "tools"))
import atoll_profile  # noqa: E402

PAGE_WORDS, LINES_OF_PAGE = 512, 64
PROGRAMS = sorted(path.stem for path in SOURCE.glob("*.c*"))
READS, WRITES, SOMEHOW = (True, False, True, True), (False, True, True, True), 4  # order of `enum How`


@dataclass
class Use:
    """A number of accesses to each of some words, by one thread in one stretch of time."""

    array: int
    first: int
    words: int
    stride: int
    how: int
    times: int
    begin: int
    end: int
    node: int

    def on_pages(self):
        """Returns {page of the array: words that are used there}."""
        if self.stride == 1:
            last = self.first + self.words
            return {page: min(last, (page + 1) * PAGE_WORDS) - max(self.first, page * PAGE_WORDS)
                    for page in range(self.first // PAGE_WORDS, (last - 1) // PAGE_WORDS + 1)}
        return collections.Counter((self.first + i * self.stride) // PAGE_WORDS for i in range(self.words))


@dataclass
class Array:
    name: str
    address: int
    pages: int
    owner: int
    shared: bool
    nodes: list


@dataclass
class Process:
    """Report of one process, for one executed program."""

    pid: int
    cache: int  # private cache of a processing unit in bytes
    arrays: list
    threads: dict  # {number of the system: [Use]}, in order of creation
    lives: list  # for each thread: times of its creation and join, in ns

    def slots(self):
        """Returns a place for each thread: the first that is free when it is created. A joined thread frees its
        place."""
        places = []
        for created, _ in self.lives:
            taken = {place for place, (_, joined) in zip(places, self.lives) if joined == 0 or joined > created}
            places.append(next(place for place in range(len(places) + 1) if place not in taken))
        return places

    def uses_of(self, number):
        """Yields (thread, use, page of the array, words of it that are used)."""
        for thread, uses in self.threads.items():
            for use in uses:
                if use.array == number:
                    for page, words in use.on_pages().items():
                        yield thread, use, page, words

    def counts(self, number):
        """Returns {(page of the array, thread): (reads, writes)}."""
        result = {}
        for thread, use, page, words in self.uses_of(number):
            if use.how != SOMEHOW:
                reads, writes = result.get((page, thread), (0, 0))
                n = words * use.times
                result[page, thread] = reads + n * READS[use.how], writes + n * WRITES[use.how]
        return result

    def unknown(self, number):
        """Returns the (page, thread) pairs whose counts are unknown, because code other than the program's
        own accesses them."""
        return {(page, thread) for thread, use, page, _ in self.uses_of(number) if use.how == SOMEHOW}

    def first_touch(self, number):
        """Returns {page of the array: threads that may have touched it first}: their first use began before
        the first use of every other thread had ended."""
        spans = collections.defaultdict(dict)
        for thread, use, page, _ in self.uses_of(number):
            spans[page].setdefault(thread, (use.begin, use.end))
        return {page: {thread for thread, (begin, _) in of_page.items()
                       if begin <= min(end for _, end in of_page.values())}
                for page, of_page in spans.items()}


def truth(folder):
    """Returns the processes that reported, in order of their reports."""
    processes = []
    for path in sorted(Path(folder).glob("*.json"), key=lambda path: int(path.name.split(".")[1])):
        told = json.loads(path.read_text())
        processes.append(Process(told["pid"], told["cache"], [Array(**array) for array in told["arrays"]],
                                 {worker["tid"]: [Use(*use) for use in worker["uses"]] for worker in told["workers"]},
                                 [(worker["created"], worker["joined"]) for worker in told["workers"]]))
    assert processes, "the program told nothing"
    return processes


@dataclass
class Page:
    """A page of memory, possibly shared by several processes."""

    name: str
    places: set = field(default_factory=set)  # {(process, page of its addresses)}
    counts: dict = field(default_factory=dict)  # {(process, thread): (reads, writes)}
    unknown: set = field(default_factory=set)  # (process, thread)
    shared: bool = False
    spans: dict = field(default_factory=dict)  # begin and end of the first use, by (process, thread)
    write_spans: dict = field(default_factory=dict)  # the same for the first use that writes

    def first_touch(self, by_writes=False):
        """Returns the threads that may have touched the page first. With by_writes, only writes count,
        because a read of unwritten private memory maps the zero page."""
        spans = self.write_spans if by_writes and self.write_spans and not self.shared else self.spans
        first_end = min(end for _, end in spans.values())
        return {thread for thread, (begin, _) in spans.items() if begin <= first_end}


def pages(told, numbers, inherits=True):
    """Returns each used page once. Processes have the given numbers. An inherited page that a process doesn't write to
    is its creator's page (with inherits=False, a separate page)."""
    result = {}
    number_of = dict(zip(reversed([process.pid for process in told]), reversed(numbers)))
    for process, number in zip(told, numbers):
        for i, array in enumerate(process.arrays):
            counts, unknown = process.counts(i), process.unknown(i)
            written = {page for page, _ in unknown} | {page for (page, _), (_, writes) in counts.items() if writes}
            for thread, use, page, _ in process.uses_of(i):
                here = array.address // 4096 + page
                maker = number_of[array.owner] if inherits and page not in written else number
                key = (array.name, page) if array.shared else (maker, here)
                one = result.setdefault(key, Page(array.name, shared=array.shared))
                one.places |= {(number, here)} if array.shared else {(number, here), (maker, here)}
                who = (number, thread)
                one.spans.setdefault(who, (use.begin, use.end))
                if use.how == SOMEHOW or WRITES[use.how]:
                    one.write_spans.setdefault(who, (use.begin, use.end))
                if (page, thread) in unknown:
                    one.unknown.add(who)
                if (page, thread) in counts:
                    one.counts[who] = counts[page, thread]
    return list(result.values())


class Seen:
    """A profile with the queries of Process, by the addresses of arrays and the kernel's thread ids."""

    def __init__(self, path):
        self.database = atoll_profile.connect(path)

    def rows(self, query, *values):
        return self.database.execute(query, values).fetchall()

    def processes(self, told):
        """Returns the profile's number of each process that reported. One process may execute several
        programs: its n-th report belongs to the n-th program."""
        known = collections.defaultdict(list)
        for number, pid in self.rows("SELECT id, pid FROM processes ORDER BY id"):
            known[pid].append(number)
        return [known[process.pid].pop(0) for process in told]

    def threads(self, process):
        """Returns {number in the profile: kernel's thread id}, ascending."""
        return dict(self.rows("SELECT id, tid FROM threads WHERE process = ? ORDER BY id", process))

    def counts(self, process, array):
        """Returns the same as Process.counts(), from the profile."""
        first = array.address // 4096
        tids = self.threads(process)
        return {(page - first, tids[thread]): (reads, writes) for page, thread, reads, writes in self.rows(
            "SELECT p.page, p.thread, sum(p.reads), sum(p.writes) FROM pages p JOIN objects o ON o.id = p.object"
            " WHERE o.process = ? AND p.page BETWEEN ? AND ? GROUP BY p.page, p.thread",
            process, first, first + array.pages - 1)}

    def pages(self):
        """Returns {(process, page of its addresses): ({(process, thread): (reads, writes)}, the first toucher)}."""
        threads = {number: (process, tid) for number, process, tid in self.rows("SELECT id, process, tid FROM threads")}
        result = {(process, page): ({}, threads[thread])
                  for process, page, thread in self.rows("SELECT process, page, thread FROM first_touch")}
        for process, page, thread, reads, writes in self.rows(
                "SELECT o.process, p.page, p.thread, sum(p.reads), sum(p.writes) FROM pages p"
                " JOIN objects o ON o.id = p.object GROUP BY o.process, p.page, p.thread"):
            result[process, page][0][threads[thread]] = (reads, writes)
        return result

    def traffic(self, process, array):
        """Returns {thread: number of lines loaded} for an array."""
        first = array.address // 4096
        tids = self.threads(process)
        return {tids[thread]: traffic for thread, traffic in self.rows(
            "SELECT p.thread, sum(p.traffic) FROM pages p JOIN objects o ON o.id = p.object"
            " WHERE o.process = ? AND p.page BETWEEN ? AND ? GROUP BY p.thread",
            process, first, first + array.pages - 1)}

    def names(self, process, array):
        """Returns the names of the objects there: variables, and the allocating functions."""
        return {name for names in self.rows(
            "SELECT o.name, f.function FROM objects o LEFT JOIN frames f ON f.site = o.site"
            " WHERE o.process = ? AND o.address < ? AND o.address + o.bytes > ?",
            process, array.address + array.pages * 4096, array.address) for name in names}

    def first_touch(self, process, array):
        """Returns {page of the array: thread}."""
        first = array.address // 4096
        tids = self.threads(process)
        return {page - first: tids[thread] for page, thread in self.rows(
            "SELECT page, thread FROM first_touch WHERE process = ? AND page BETWEEN ? AND ?",
            process, first, first + array.pages - 1)}


def traffic(told):
    """Returns {(process, array, page, thread, node): lines loaded}, by simulating each thread's cache, which evicts
    the least recently used lines, and lines that another thread writes. Uses are processed sequentially, because
    barriers order dependent ones."""
    result, holders = collections.Counter(), collections.defaultdict(set)
    caches = collections.defaultdict(collections.OrderedDict)
    every = [(use.begin, i, thread, use) for i, process in enumerate(told)
             for thread, uses in process.threads.items() for use in uses]
    for _, i, thread, use in sorted(every, key=lambda one: one[0]):
        cached = caches[thread]
        used = dict.fromkeys((i, use.array, (use.first + word * use.stride) // 8) for word in range(use.words))
        for _ in range(use.times if len(used) > 1 else 1):  # after the first time, a single line is cached
            for line in used:
                if line in cached:
                    cached.move_to_end(line)
                else:
                    result[i, use.array, line[2] // LINES_OF_PAGE, thread, use.node] += 1
                    cached[line] = None
                    holders[line].add(thread)
                    if len(cached) > told[i].cache // 64:
                        gone, _ = cached.popitem(last=False)
                        holders[gone].discard(thread)
        if use.how != SOMEHOW and WRITES[use.how]:
            for line in used:
                for other in holders[line] - {thread}:
                    del caches[other][line]
                    holders[line].discard(other)
    return result


def private_lines(process, number):
    """Returns the number of lines of an array that only one thread uses."""
    users = collections.defaultdict(set)
    for thread, uses in process.threads.items():
        for use in uses:
            if use.array == number:
                for i in range(0, use.words, max(1, 8 // use.stride)):
                    users[(use.first + i * use.stride) // 8].add(thread)
    return sum(len(threads) == 1 for threads in users.values())


def local_share(told):
    """Returns the fraction of the traffic that is local. The node of a thread is the one that the system
    reported when the thread used the memory, the node of a page the one that it reported at the end."""
    local = every = 0
    for (process, array, page, _, node), n in traffic(told).items():
        of_page = told[process].arrays[array].nodes[page]
        assert of_page >= 0, "the system didn't tell"
        every += n
        local += n * (of_page == node)
    return local / every
