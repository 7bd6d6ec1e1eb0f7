# SPDX-License-Identifier: Apache-2.0
"""check_python_layers.py finds a seeded violation of each kind, and nothing in a tree without."""

import pytest

from tensorwright.tools.dev import check_python_layers as checker

# A tree of one module a layer, each of which imports the one before it.
_GOOD = {
    "python/util/low.py": "import os\n",
    "python/framework/middle.py": "from tensorwright.python.util import low\n",
    "python/framework/errors.py": "from tensorwright.python.util.low import name\n",
    "python/lib/io/file_io.py": "from tensorwright.python.framework import errors\n",
    "python/ops/high.py": "from ..framework import middle\n",
    "python/ops/high_test.py": "from tensorwright.contrib import top\n",
    "contrib/top.py": "from tensorwright.python.ops import gen_high_ops, high\n",
    "contrib/side.py": "name = 1\n",
}


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Returns the checker's output for the tree above, with other texts of some files."""
    monkeypatch.setattr(checker, "INSIDE", {"python/util/low.py": "a reason"})

    def check(**texts):
        files = _GOOD | {f"{k.replace('__', '/')}.py": v for k, v in texts.items()}
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return checker.problems(tmp_path, sorted(files))

    return check


def test_a_good_tree_has_no_problem(found):
    assert found() == []


@pytest.mark.parametrize(
    "text",
    [
        "from tensorwright.contrib import side",
        "import tensorwright.contrib.side",
        "from tensorwright.contrib.side import name",
        "from ...contrib import side",
        "try:\n    from tensorwright.contrib import side\nexcept ImportError:\n    pass",
        "class A:\n    from tensorwright.contrib import side",
        'x = LazyLoader("x", globals(), "tensorwright.contrib.side")',
        'x = importlib.import_module("tensorwright.contrib.side")',
        "def __getattr__(name):\n    from tensorwright.contrib import side",
    ],
)
def test_an_import_upward_is_found(found, text):
    (problem,) = found(python__ops__high=text)
    assert problem.startswith("python/ops/high.py:")
    assert problem.endswith("imports upward: tensorwright.contrib.side")


def test_generated_modules_and_the_package_itself_have_layers_too(found):
    text = "import tensorwright as tf\nfrom tensorwright.python.ops import gen_x_ops\n"
    assert found(python__framework__middle=text) == [
        "python/framework/middle.py:1: imports upward: tensorwright",
        "python/framework/middle.py:2: imports upward: tensorwright.python.ops.gen_x_ops",
    ]


def test_a_module_beside_its_folder_keeps_to_its_own_layer(found):
    text = "from tensorwright.python.framework import middle"
    assert found(python__framework__errors=text) == [
        "python/framework/errors.py:1: imports upward: tensorwright.python.framework.middle"
    ]


def test_types_may_come_from_above(found):
    text = "if TYPE_CHECKING:\n    from tensorwright.contrib import side\n"
    assert found(python__ops__high=text) == []
    text += "else:\n    from tensorwright.contrib import side\n"
    assert len(found(python__ops__high=text)) == 1


def test_a_test_must_not_import_the_tools(found):
    text = "from tensorwright.tools.dev import run_pytest"
    (problem,) = found(python__ops__high_test=text)
    assert problem.startswith("python/ops/high_test.py:1: imports upward")


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("def f():\n    import os", "os"),
        ("class A:\n    def f(self):\n        from os import path", "os"),
        ("f = lambda: __import__('os')", "os"),
        ("async def f():\n    import os", "os"),
        ("def f(name):\n    return importlib.import_module(name)", "a module"),
        ("def f():\n    def __getattr__(name):\n        import os", "os"),
    ],
)
def test_an_import_inside_a_function_is_found(found, text, module):
    (problem,) = found(python__ops__high=text)
    assert problem.endswith(f"imports {module} inside a function")


def test_listed_files_and_module_getattr_may_import_inside(found):
    assert found(python__util__low="def f():\n    import os") == []
    assert found(python__ops__high="def __getattr__(n):\n    import os") == []


def test_a_reason_for_no_file_and_a_long_list_are_found(found, monkeypatch):
    monkeypatch.setattr(checker, "INSIDE", {"python/gone.py": "a reason"})
    assert found() == ["INSIDE lists python/gone.py, which no file is"]
    many = {f"{'*' * n}.py": "a reason" for n in range(1, 17)}
    monkeypatch.setattr(checker, "INSIDE", many)
    assert found() == ["INSIDE has more than 15 entries"]


def test_circles_are_found(found):
    two = {
        "python__ops__high": "from tensorwright.python.ops import other",
        "python__ops__other": "from tensorwright.python.ops.high import name",
    }
    assert found(**two) == [
        "import each other: tensorwright.python.ops.high, tensorwright.python.ops.other"
    ]
    # Not where one of them imports the other later.
    later = 'high = LazyLoader("high", globals(), "tensorwright.python.ops.high")'
    assert found(**two | {"python__ops__other": later}) == []


def test_circles_are_those_that_reach_each_other():
    imported = {
        "a": {"b"}, "b": {"c", "x"}, "c": {"a"}, "x": {"y"}, "y": set(), "z": {"z", "a"}
    }  # fmt: skip
    assert sorted(checker.circles(imported)) == [["a", "b", "c"], ["z"]]


def test_every_part_of_the_tree_has_a_layer():
    layers = [entry for entries in checker.LAYERS for entry in entries]
    assert len(layers) == len(set(layers))
    assert len(checker.INSIDE) <= checker.MOST_INSIDE
