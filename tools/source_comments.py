"""Reads the comments of C++ files."""

import re

TOKEN = re.compile(r'''R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|'''
                   r'''(?P<comment>//[^\n]*)''', re.DOTALL)
DIRECTIVE = re.compile(r"///?<? ?(NOLINT|clang-format|namespace\b|@)")


def lines_with_comments(text):
    """Yields (line number from 1, column, text of the comment with its slashes) for each // comment."""
    for token in TOKEN.finditer(text):
        if token["comment"] and not DIRECTIVE.match(token["comment"]):
            begin = token.start()
            yield text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin) - 1, token["comment"]


def words_of(comment):
    return re.sub(r"^///?<? ?", "", comment)


def comments(text):
    """Yields (line number, text) of each comment: a block of consecutive lines in the same column, or a
    comment after code."""
    begin, last, where, words = 0, 0, -1, []
    for line, column, comment in lines_with_comments(text):
        if words and line == last + 1 and column == where:
            words.append(words_of(comment))
        else:
            if words:
                yield begin, " ".join(words)
            begin, words = line, [words_of(comment)]
        last, where = line, column
    if words:
        yield begin, " ".join(words)
