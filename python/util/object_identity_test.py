# SPDX-License-Identifier: Apache-2.0
"""Collections that tell equal objects apart."""

import gc

import pytest

from tensorwright.python.util import object_identity as identity


class _Same:
    """All of these are equal, and have no hash."""

    __hash__ = None

    def __eq__(self, other):
        return True


@pytest.mark.parametrize(
    "kind",
    [
        identity.ObjectIdentityDictionary,
        identity.ObjectIdentityWeakKeyDictionary,
    ],
)
def test_keys_of_a_dictionary_are_equal_to_themselves_alone(kind):
    a, b, c = _Same(), _Same(), _Same()
    found = kind()
    found[a], found[b] = 1, 2
    assert (found[a], found[b], len(found)) == (1, 2, 2)
    assert a in found and c not in found and found.get(c) is None
    assert [key is known for key, known in zip(found, (a, b))] == [True, True]
    del found[a]
    assert a not in found and found.pop(b) == 2 and not found


@pytest.mark.parametrize(
    "kind", [identity.ObjectIdentitySet, identity.ObjectIdentityWeakSet]
)
def test_elements_of_a_set_are_equal_to_themselves_alone(kind):
    a, b, c = _Same(), _Same(), _Same()
    found = kind([a, b, a])
    assert len(found) == 2 and b in found and c not in found
    found.update([c])
    found.discard(a)
    assert len(found) == 2 and all(x is b or x is c for x in found)
    found.clear()
    assert not found


def test_weak_collections_let_go():
    a, b = _Same(), _Same()
    by_key = identity.ObjectIdentityWeakKeyDictionary()
    by_key[a], by_key[b] = 1, 2
    of_both = identity.ObjectIdentityWeakSet([a, b])
    del a
    gc.collect()
    assert len(by_key) == len(of_both) == 1 and by_key[b] == 2


def test_a_reference_gives_its_object_back():
    a, b = _Same(), _Same()
    reference = identity.Reference(a)
    assert reference.deref() is a
    assert reference == identity.Reference(a) and reference != identity.Reference(b)
    assert len({reference, identity.Reference(a), identity.Reference(b)}) == 2
    assert not reference == a
