"""The front ends compiled and gcc if a counter overflows: the profile has counts that exceed a line's word."""

import pytest
from watched import counts, watch


def test_counters_widen(atoll, make, tmp_path):
    """A nested loop, which is recorded as a whole, accesses a line more often than the line's word can count."""
    if make.frontend == "gcc":
        pytest.skip("that many calls take minutes")
    program = make.build(tmp_path, """
        char cells[64] PAGES;
        APART void sweep(long n) {
          for (long j = 0; j < n; ++j)
            for (long i = 0; i < 64; ++i) cells[i] += (char)j;
        }
        int main(void) { sweep(70000000); return 0; }
    """, "-O3")
    seen = watch(atoll, tmp_path, program, frontend=make.frontend)
    assert counts(seen, ["cells"]) == {"cells": (64 * 70000000, 64 * 70000000)}


def test_counters_of_every_width(atoll, make, source, tmp_path):
    """For elements of every size: the words of a line that are recorded as accessed, and the counts if its
    counters overflow. One line has a single accessed word, the other one has all words accessed."""
    program = make.build(tmp_path, """
        #include "record/recorder.hpp"
        using namespace Atoll;
        struct __attribute__((packed)) Packed { char first; int value; };
        unsigned char c1[4096] PAGES;
        short c2[2048] PAGES;
        int c4[1024] PAGES;
        long c8[512] PAGES;
        __int128 c16[256] PAGES;
        Packed packed[819] PAGES;
        template <typename T> APART void touch(T* p) { ++*p; }
        APART void touch(Packed* p) { ++p->value; }
        template <typename T> volatile record::PageCounters* block_of(T* p) {
          const auto page = reinterpret_cast<std::uint64_t>(p) >> 12;
          record::Slot& slot = record::atoll_thread_state->slots[page % record::kSlots];
          do touch(p); while (slot.begin != page << 12);
          return slot.block;
        }
        unsigned words_of(volatile record::PageCounters* block, int line) { return block->lines[line] & record::kWords; }
        template <typename T> void fill(T* p, int line, int known) {
          volatile record::Line& counts = block_of(p)->lines[line];
          for (int i = 0; i < known; ++i) touch(p + i);
          counts = (counts & record::kWords) | ((1UL << 31) - 3) * record::kOneRead |
                   ((1UL << 23) - 3) * record::kOneWrite;
          for (int i = 0; i < 5; ++i) touch(p);
        }
        template <typename T> bool counted(T* p, unsigned words) {
          const int n = 64 / sizeof(T);
          fill(p, 0, 1);
          fill(p + n, 1, n);
          T* two = p + 2 * n;  // accessed are the line's second word and its last
          touch(two + n - 1);
          volatile record::PageCounters* block = block_of(two + (sizeof(T) > 8 ? 0 : 8 / sizeof(T)));
          const record::Line counts = block->lines[2];
          block->lines[2] = 0;
          return record::reads_of(counts) >= 2 && record::reads_of(counts) == record::writes_of(counts) &&
                 words_of(block, 1) == 255 && (counts & record::kWords) == words;
        }
        int main() {
          if (!counted(c1, 0x82) || !counted(c2, 0x82) || !counted(c4, 0x82) || !counted(c8, 0x82)) return 1;
          if (!counted(c16, 0xc3)) return 2;
          volatile record::PageCounters* block = block_of(packed);
          fill(packed, 0, 1);
          const record::Line counts = block->lines[0] & ~record::kWords;
          block_of(packed);
          if (words_of(block, 0) != 1) return 3;
          touch(packed + 4);  // bytes 21 to 24
          if (words_of(block, 0) != 0xd) return 4;
          block->lines[0] = (block->lines[0] & record::kWords) | counts;
          return 0;
        }
    """, "-std=c++20", "-O1", f"-I{source}/src", f"-I{source}/include", cplusplus=True)
    seen = watch(atoll, tmp_path, program, frontend=make.frontend)
    assert seen.returncode == 0
    reads, writes = 2**31 + 2, 2**23 + 2
    known = {f"c{width}": (2 * reads, 2 * writes) for width in (1, 2, 4, 8, 16)} | {"packed": (reads, writes)}
    assert counts(seen, known) == known
