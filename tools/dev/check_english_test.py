# SPDX-License-Identifier: Apache-2.0
"""check_english.py finds comments and docstrings by their first words, and nothing else."""

import pytest

from tensorwright.tools.dev import check_english

WORDS = ["What", "Of", "Where", "Whose", "That of"]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("mark", ["//", "// ", "/// ", "/* ", "/** ", "//!< "])
def test_a_comment_of_cpp_is_found(word, mark):
    text = f"int a;\n{mark}{word} a node is. */\nint b;\n"
    assert check_english.beginnings("a.cc", text) == [2]


def test_a_comment_behind_code_is_found():
    text = "int a;  // Of the node.\nint b;  // Of the edge.\n"
    assert check_english.beginnings("a.h", text) == [1, 2]


def test_only_the_first_line_of_a_comment_of_cpp_counts():
    text = "// Says\n// What it says.\nint a;\n// Where it\n// Whose\n"
    assert check_english.beginnings("a.cc", text) == [4]
    text = "int a;  // Says\n// What it says.\n"
    assert check_english.beginnings("a.cc", text) == [2]


def test_literals_of_cpp_are_no_comments():
    text = (
        'auto a = "// What";\n'
        'auto b = R"doc(\n// Of "it"\n)doc";\n'
        "char c = '\"', d = '\\'';  // Of c.\n"
        "int e = 1'000'000;  // Whose it is.\n"
        'auto f = "\\"// Where";\n'
    )
    assert check_english.beginnings("a.cc", text) == [5, 6]


def test_other_words_and_the_op_where_do_not_count():
    text = "// Where: the places.\n\n// Often.\n\n// Whatever.\n\n// That is.\n\n// What-if.\n"
    assert check_english.beginnings("a.cc", text) == []


@pytest.mark.parametrize("word", WORDS)
def test_a_comment_of_python_is_found(word):
    text = f"a = 1  # {word} a is.\n#: {word} b is.\nb = 2\n#{word} it is.\n"
    assert check_english.beginnings("a.py", text) == [1, 2, 4]


@pytest.mark.parametrize("word", WORDS)
def test_a_docstring_is_found(word):
    text = (
        f'"""{word} it is."""\n'
        f'class A:\n    """{word} it is."""\n'
        f'    def f(self):\n        r"""\n        {word} it is."""\n'
        f"async def g():\n    '{word} it is.'\n"
    )
    assert check_english.beginnings("a.pyi", text) == [1, 3, 5, 8]


def test_only_the_first_line_of_a_comment_of_python_counts():
    text = "# Says\n# What it says.\na = 1\n"
    assert check_english.beginnings("a.py", text) == []


def test_a_comment_on_the_first_line_is_found():
    assert check_english.beginnings("a.cc", "// What it is.\n") == [1]
    assert check_english.beginnings("a.py", "# What it is.\n") == [1]


def test_other_strings_of_python_do_not_count():
    text = (
        'a = "# What"\nb = """Of it"""\ndef f():\n    """Says."""\n    return "Where"\n'
    )
    assert check_english.beginnings("a.py", text) == []


def test_the_program_fails_only_at_many(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(check_english, "ROOT", tmp_path)
    monkeypatch.setattr(check_english, "sources", lambda: ["a.cc"])
    comments = "// What it is.\n\n" * check_english.MOST
    (tmp_path / "a.cc").write_text(comments)
    assert check_english.main() == 1
    assert capsys.readouterr().out.startswith("a.cc:1\na.cc:3\n")
    (tmp_path / "a.cc").write_text(comments.removeprefix("// What it is.\n"))
    assert check_english.main() == 0
    (tmp_path / "a.cc").write_text("int a;\n")
    assert check_english.main() == 0
    monkeypatch.setattr(check_english, "sources", lambda: [])
    assert check_english.main() == 1
