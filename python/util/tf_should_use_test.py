# SPDX-License-Identifier: Apache-2.0
"""Reports of results that nobody uses."""

import gc

from tensorwright.python.platform import tf_logging
from tensorwright.python.util import tf_should_use


class _Value:
    """An object that can be used."""

    size = 3


def _reports(monkeypatch, level, use):
    """The reports of a value's proxy that goes after `use`."""
    said = []
    monkeypatch.setattr(tf_logging, level, lambda text, *args: said.append(text % args))
    proxy = tf_should_use._add_should_use_warning(_Value(), level == "fatal")
    use(proxy)
    del proxy
    gc.collect()
    return said


def test_a_value_that_goes_unused_is_reported_with_its_place(monkeypatch):
    (said,) = _reports(monkeypatch, "error", lambda proxy: None)
    assert "Object was never used" in said and "_Value" in said
    assert "tf_should_use_test.py" in said
    assert len(_reports(monkeypatch, "fatal", lambda proxy: None)) == 1


def test_a_value_that_is_touched_or_marked_is_not_reported(monkeypatch):
    assert not _reports(monkeypatch, "error", lambda proxy: proxy.size)
    assert not _reports(monkeypatch, "error", lambda proxy: proxy.mark_used())


def test_none_and_a_proxy_stay_what_they_are():
    assert tf_should_use._add_should_use_warning(None) is None
    proxy = tf_should_use._add_should_use_warning(_Value())
    assert tf_should_use._add_should_use_warning(proxy) is proxy
    proxy.mark_used()


def test_a_function_says_by_its_decorator_that_its_result_counts(monkeypatch):
    said = []
    monkeypatch.setattr(
        tf_logging, "error", lambda text, *args: said.append(text % args)
    )

    @tf_should_use.should_use_result
    def made():
        return _Value()

    assert made().size == 3 and not said
    made()
    gc.collect()
    assert len(said) == 1 and "made" in said[0]
