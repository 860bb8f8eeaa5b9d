"""Generates hostile calls: a valid call and one to three changes, which the seed and the call's number determine."""

import random
import re
from dataclasses import dataclass, field, replace

from . import damage, values
from .environments import Setting
from .samples import SAMPLES
from .starts import SLOW

PLACE = re.compile(r"\{(>?)([\w.]+)\}")
COMMANDS = ["", " ", "missing", "./missing", "folder", "empty", "unreadable", "loop", "/dev/null", "/dev/zero", "-x",
            "--", "/bin/false", "/proc/self/mem", "x" * 300, "\udcff", "with\nbreak"]


@dataclass
class Word:
    text: str
    prefix: str = ""  # "NAME=" of NAME=FILE
    sample: str = ""  # sample of an input
    name: str = ""  # name of an input's file
    output: bool = False
    command: bool = False  # the word is the program after --


@dataclass
class Call:
    program: str  # path below the build folder
    verb: str
    words: list
    inputs: dict  # file name: (sample, kind of damage or "", seed)
    outputs: set  # files that the call may write, by its words
    setting: Setting
    changes: list
    json: bool = False  # the call requests JSON


def words_of(verb, start):
    words = [Word(part) for part in verb.split()] if verb in ATOLL_VERBS else []
    after_dashes = False
    for text in start.split():
        word = Word(text, command=after_dashes)
        after_dashes = text == "--"
        if place := PLACE.search(text):
            word.prefix, name = text[:place.start()], place.group(2)
            word.output = bool(place.group(1))
            if not word.output:
                word.sample, name = name, SAMPLES[name][0]
                word.name = name
            word.text = word.prefix + name
        words.append(word)
    return words


ATOLL_VERBS = set()  # set from the help


@dataclass
class Draft:
    """A start to which changes are applied. `more` are words that are inserted before "--"."""
    words: list
    more: list = field(default_factory=list)
    inputs: dict = field(default_factory=dict)  # index of the word: (sample, damage, seed)
    setting: Setting = field(default_factory=Setting)
    dropped: set = field(default_factory=set)
    twice: set = field(default_factory=set)


# Each change has apply(draft) and names(). An error message must contain one of the names; if there are none,
# any message is accepted.
@dataclass(frozen=True)
class Value:
    option: object
    text: str
    joined: bool

    def apply(self, draft):
        for index, word in enumerate(draft.words[:-1]):
            if word.text == "--":
                break
            if word.text in self.option.names:
                draft.words[index + 1] = replace(draft.words[index + 1], text=self.text, output=False)
                return
        name = self.option.name
        draft.more += [f"{name}={self.text}"] if self.joined and name.startswith("--") else [name, self.text]

    def names(self):
        return [name.lstrip("-") for name in self.option.names] + [self.text[:8]]


@dataclass(frozen=True)
class Path:
    index: int
    text: str

    def apply(self, draft):
        word = draft.words[self.index]
        draft.words[self.index] = replace(word, text=word.prefix + self.text)

    def names(self):
        return [self.text[:8]]


@dataclass(frozen=True)
class Renamed(Path):
    """The input has an odd name, and its content is unchanged."""

    def apply(self, draft):
        super().apply(draft)
        draft.words[self.index].name = self.text


@dataclass(frozen=True)
class Damage:
    index: int
    kind: str
    seed: int
    sample: str = ""  # sample whose content replaces the input's; "" keeps the input's

    def apply(self, draft):
        draft.inputs[self.index] = (self.sample or draft.words[self.index].sample, self.kind, self.seed)

    def names(self):
        return []


@dataclass(frozen=True)
class Output:
    index: int
    text: str
    same_as: int = -1  # index of an input, whose file the output then names

    def apply(self, draft):
        word = draft.words[self.index]
        text = draft.words[self.same_as].name if self.same_as >= 0 else self.text
        draft.words[self.index] = replace(word, text=word.prefix + text)

    def names(self):
        return [self.text[:8]] if self.same_as < 0 else []


@dataclass(frozen=True)
class Environment:
    name: str
    setting: Setting

    def __hash__(self):
        return hash(self.name)

    def apply(self, draft):
        one, other = draft.setting, self.setting
        draft.setting = Setting({**one.variables, **other.variables}, {**one.limits, **other.limits},
                                {**one.streams, **other.streams}, one.no_proc or other.no_proc)

    def names(self):
        return []


@dataclass(frozen=True)
class Structure:
    kind: str  # "drop", "twice" or "more"
    index: int = 0
    more: tuple = ()

    def apply(self, draft):
        if self.kind == "more":
            draft.more += self.more
        else:
            (draft.dropped if self.kind == "drop" else draft.twice).add(self.index)

    def names(self):
        return []


class Maker:
    """Generates call number N of a seed. `options` has the options of each help, `environments` the
    environments by name."""

    def __init__(self, seed, starts, options, environments):
        self.seed, self.options, self.environments = seed, options, environments
        self.starts = starts  # verb: [(weight, text)]
        self.verbs = sorted(starts)

        self.every = [(verb, text) for verb in self.verbs for _, text in starts[verb]]

    @property
    def valid(self):
        return len(self.every)

    def call(self, number):
        return self.build(*self.parts(number))

    def parts(self, number):
        """Returns (verb, start, changes). Numbers below 0 are the valid calls."""
        if number < 0:
            return *self.every[-number - 1], []
        rng = random.Random(f"{self.seed}/{number}")
        verb = rng.choice(self.verbs)
        weights, texts = zip(*self.starts[verb])
        start = rng.choices(texts, weights)[0]
        count = rng.choices((1, 2, 3), (60, 30, 10))[0]
        return verb, start, [change for _ in range(count) if (change := self.change(rng, verb, start))]

    def change(self, rng, verb, start):
        words = words_of(verb, start)
        inputs = [i for i, word in enumerate(words) if word.sample]
        outputs = [i for i, word in enumerate(words) if word.output]
        options = self.options[verb, "--" in start.split()]
        kinds = {"value": 32, "flag": 5, "environment": 18, "structure": 8}
        if inputs:
            kinds.update(damage=26, other=5, path=12, renamed=5)
        if outputs:
            kinds.update(output=16)
        if any(word.command for word in words):
            kinds.update(command=6)
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        valued = [option for option in options if option.value]
        flags = [option.name for option in options if not option.value and (verb, option.name) not in SLOW]
        if kind == "value" and valued:
            option = rng.choice(valued)
            texts = values.NUMBERS if option.number and rng.random() < 0.6 else values.TEXTS * 2 + values.PATHS
            text = "" if rng.random() < 0.04 else rng.choice(texts + self.listed(option))
            return Value(option, text, rng.random() < 0.5)
        if kind == "damage":
            return Damage(rng.choice(inputs), rng.choice(list(damage.KINDS)), rng.randrange(1 << 30))
        if kind == "other":
            index = rng.choice(inputs)
            used = sorted({word.sample for one in self.starts[verb] for word in words_of(verb, one[1]) if word.sample})
            return Damage(index, "", 0, rng.choice(used))
        if kind in ("path", "renamed"):
            index = rng.choice(inputs)
            return Path(index, rng.choice(values.PATHS)) if kind == "path" else Renamed(index, rng.choice(values.NAMES))
        if kind == "output":
            index = rng.choice(outputs)
            if inputs and rng.random() < 0.25:
                return Output(index, "", rng.choice(inputs))
            return Output(index, rng.choice(values.OUTPUTS))
        if kind == "command":
            return Path(next(i for i, word in enumerate(words) if word.command), rng.choice(COMMANDS))
        if kind == "environment":
            name = rng.choice(list(self.environments))
            return Environment(name, self.environments[name])
        if kind == "structure":
            first = len(verb.split()) if verb in ATOLL_VERBS else 0
            choice = rng.choice(("drop", "twice", "positional", "unknown", "bare"))
            if choice in ("drop", "twice") and len(words) > first:
                return Structure(choice, rng.randrange(first, len(words)))
            more = {"positional": rng.choice(values.PATHS), "unknown": rng.choice(("--frobnicate", "-z", "--=", "---"))}
            return Structure("more", 0, (more.get(choice) or rng.choice(valued or options).name,)) if options else None
        return Structure("more", 0, (rng.choice(flags),)) if flags else None

    @staticmethod
    def listed(option):
        """Returns the values that the help lists, and variants of them."""
        found = re.search(r"\{([^}]*)\}", option.value)
        listed = found.group(1).split(",") if found else []
        return [text for one in listed for text in (one, one.upper(), one + "x", one + ",")]

    def build(self, verb, start, changes):
        draft = Draft(words_of(verb, start))
        for change in changes:
            change.apply(draft)
        words, inputs, outputs = [], {}, set()
        dashes = next((i for i, word in enumerate(draft.words) if word.text == "--" and not word.command),
                      len(draft.words))
        for index, word in enumerate(draft.words):
            if index == dashes:
                words += draft.more
            if index not in draft.dropped:
                words += [word.text] * (2 if index in draft.twice else 1)
            if word.sample:
                inputs[word.name] = draft.inputs.get(index, (word.sample, "", 0))
        if dashes == len(draft.words):
            words += draft.more
        for word in words:  # every word may name an output: an option's value, or NAME=FILE
            outputs.update((word, word.partition("=")[2]))
        program = "atoll" if verb in ATOLL_VERBS else f"apps/{verb}"
        valued = {name for option in self.options[verb, "--" in start.split()] if option.value for name in option.names
                  if not option.value.startswith("{")}  # such a value is optional
        json = any(word == "--json" and before not in valued for before, word in zip(["", *words], words))
        return Call(program, verb, words, inputs, outputs, draft.setting, changes, json)
