# SPDX-License-Identifier: Apache-2.0
"""Tests of TypeSpecs and of what DType and TensorShape have of them."""

import pickle
import types

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import tensor_shape_pb2, types_pb2
from tensorwright.core.protobuf import struct_pb2
from tensorwright.python.framework import trace_type, type_spec


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_dtypes_and_shapes_hold_no_tensors():
    for value in (tf.float32, tf.TensorShape([2, None])):
        assert value.flatten() == []
        assert value.to_tensors(value) == []
        assert value.from_tensors(iter([1])) is None
        assert value.placeholder_value(None) is None
        assert value.cast(None, None) is None
        with pytest.raises(AssertionError, match="Can not cast 5"):
            value.cast(5, None)


def test_dtypes_have_no_subtypes_but_themselves():
    assert tf.float32.is_subtype_of(tf.float32)
    assert not tf.float32.is_subtype_of(tf.float64)
    assert not tf.float32.is_subtype_of(tf.TensorShape(None))
    assert tf.int8.most_specific_common_supertype([tf.int8, tf.int8]) is tf.int8
    assert tf.int8.most_specific_common_supertype([tf.int8, tf.int16]) is None


def test_supertypes_of_shapes():
    shape = tf.TensorShape([2, 3])
    super_ = shape.most_specific_common_supertype
    assert super_([tf.TensorShape([4, 3])]) == tf.TensorShape([None, 3])
    assert super_([tf.TensorShape([4])]) == tf.TensorShape(None)
    assert super_([[2, 3]]) is None
    assert shape.is_subtype_of(tf.TensorShape([None, 3]))
    assert not tf.TensorShape([None, 3]).is_subtype_of(shape)
    assert not shape.is_subtype_of([2, 3])


def test_protos_of_dtypes_and_shapes_come_back():
    proto = tf.qint8.experimental_as_proto()
    assert proto.datatype == types_pb2.DT_QINT8
    assert tf.DType.experimental_type_proto() is types_pb2.SerializedDType
    assert tf.DType.experimental_from_proto(proto) is tf.qint8
    for sizes in (None, [], [2, None]):
        shape = tf.TensorShape(sizes)
        assert tf.TensorShape.experimental_from_proto(shape.experimental_as_proto()) == shape  # fmt: skip
    assert tf.TensorShape.experimental_type_proto() is tensor_shape_pb2.TensorShapeProto


def test_a_tensor_spec_makes_its_placeholder(_graph):
    spec = tf.TensorSpec([2, None], tf.int32, name="x")
    assert repr(spec) == "TensorSpec(shape=(2, ?), dtype=tf.int32, name='x')"
    first, second = spec.placeholder_value(None), spec.placeholder_value(None)
    assert (first.op.name, second.op.name) == ("x", "x_1")
    assert first.op.type == "Placeholder" and first.dtype == tf.int32
    assert first.shape.as_list() == [2, None]
    other = tf.Graph()
    context = types.SimpleNamespace(context_graph=other)
    assert spec.placeholder_value(context).graph is other
    assert spec.flatten() == [spec]
    assert spec.from_tensors(iter([first, second])) is first
    with pytest.raises(StopIteration):
        spec.from_tensors(iter([]))


def test_a_tensor_spec_casts_what_can_be_of_it():
    spec = tf.TensorSpec([2, None])
    x = tf.zeros([2, 3])
    assert spec.to_tensors(x) == [x]
    unknown = tf.placeholder(tf.float32)
    assert spec.cast(unknown, None) is unknown
    assert unknown.shape.as_list() == [2, None]
    made = spec.cast([[1, 2], [3, 4]], None)
    assert made.dtype == tf.float32 and made.shape.as_list() == [2, 2]
    for bad in (tf.zeros([2, 3], tf.int32), tf.zeros([3, 3]), 5.0, "text"):
        with pytest.raises(TypeError):
            spec.cast(bad, None)
    with_specs = trace_type.CastContext(allow_specs=True)
    assert spec.cast(tf.TensorSpec([2, 2]), with_specs) is spec
    with pytest.raises(TypeError):
        spec.cast(tf.TensorSpec([3, 2]), with_specs)


def test_what_a_tensor_spec_is_compatible_with():
    spec = tf.TensorSpec([2, None], name="x")
    assert spec.is_compatible_with(tf.zeros([2, 3]))
    assert spec.is_compatible_with(tf.placeholder(tf.float32))
    assert spec.is_compatible_with(tf.TensorSpec(None))
    assert not spec.is_compatible_with(tf.TensorSpec([3, 3]))
    assert not spec.is_compatible_with(tf.zeros([2, 3], tf.int32))
    assert not spec.is_compatible_with(np.zeros([2, 3], np.float32))


def test_order_of_tensor_specs():
    named = tf.TensorSpec([2, None], name="x")
    plain = tf.TensorSpec([2, None])
    assert plain.is_subtype_of(named) and not named.is_subtype_of(plain)
    assert plain.is_subtype_of(tf.TensorSpec(None))
    assert not plain.is_subtype_of(tf.TensorSpec([2, 3]))
    assert not plain.is_subtype_of(tf.TensorSpec([2, None], tf.int32))
    common = plain.most_specific_common_supertype([tf.TensorSpec([4, 3])])
    assert common == tf.TensorSpec([None, None])
    assert plain.most_specific_common_supertype([named]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        plain.most_specific_compatible_type(tf.TensorSpec([2], tf.int32))


def test_tensor_specs_are_values():
    spec = tf.TensorSpec([2, None], tf.int8, "x")
    same = pickle.loads(pickle.dumps(spec))
    assert same == spec and hash(same) == hash(spec)
    assert spec != tf.TensorSpec([2, None], tf.int8) and spec != 5
    assert tf.TensorSpec.from_spec(spec, "y") == tf.TensorSpec([2, None], tf.int8, "y")
    assert tf.TensorSpec.from_tensor(tf.zeros([3], name="z")).name == "z"
    with pytest.raises(ValueError, match="got <class 'int'>"):
        tf.TensorSpec.from_tensor(5)
    proto = spec.experimental_as_proto()
    assert isinstance(proto, struct_pb2.TensorSpecProto) and proto.name == "x"
    assert tf.TensorSpec.experimental_from_proto(proto) == spec
    nameless = tf.TensorSpec([2])
    assert tf.TensorSpec.experimental_from_proto(nameless.experimental_as_proto()).name is None  # fmt: skip


def _composites():
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]), tf.constant([5, 3]))
    sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
    array = tf.TensorArray(tf.float32, 3, element_shape=[2], dynamic_size=True)
    return [
        (slices, tf.IndexedSlicesSpec([5, 3], tf.float32, tf.int32, tf.int32, [2])),
        (sparse, tf.SparseTensorSpec([2, 3])),
        (array, tf.TensorArraySpec([2], dynamic_size=True)),
        (None, tf.NoneTensorSpec()),
    ]


def test_specs_of_composites():
    for value, spec in _composites():
        assert tf.type_spec_from_value(value) == spec
        assert spec.is_compatible_with(value) and spec.is_subtype_of(spec)
        assert isinstance(value, spec.value_type)
        assert spec.most_specific_common_supertype([spec]) == spec
        assert spec.most_specific_common_supertype([tf.TensorSpec([2])]) is None
        assert not spec.is_compatible_with(5)
        assert pickle.loads(pickle.dumps(spec)) == spec
        assert eval(repr(spec), {"tf": tf, **vars(tf)}) == spec or value is None


def test_composites_are_taken_apart_and_put_together():
    for value, spec in _composites():
        tensors = spec.to_tensors(value)
        assert len(tensors) == len(spec.flatten())
        for tensor, part in zip(tensors, spec.flatten()):
            assert part.is_compatible_with(tensor)
        again = spec.from_tensors(iter(tensors))
        assert spec.to_tensors(again) == tensors
        assert spec.cast(value, None) is value
        if value is not None:
            assert type(again) is type(value)
            with pytest.raises(TypeError, match="expected an? [SIT]"):
                spec.to_tensors(5)


def test_a_composite_that_was_put_together_works(_graph):
    array = tf.TensorArray(tf.float32, 2).write(0, 3.0).write(1, 4.0)
    spec = tf.type_spec_from_value(array)
    again = spec.from_tensors(iter(spec.to_tensors(array)))
    sparse = tf.SparseTensorSpec([2, 3]).placeholder_value(None)
    value = tf.SparseTensorValue([[1, 2]], [7.0], [2, 3])
    with tf.Session() as session:
        assert session.run(again.stack()).tolist() == [3, 4]
        assert session.run(sparse, {sparse: value}).values.tolist() == [7]


def test_order_of_composite_specs():
    spec, wide = tf.SparseTensorSpec([2, None]), tf.SparseTensorSpec()
    assert spec.is_subtype_of(wide) and not wide.is_subtype_of(spec)
    common = spec.most_specific_common_supertype([tf.SparseTensorSpec([3, None])])
    assert common == tf.SparseTensorSpec([None, None])
    assert spec.most_specific_common_supertype([tf.SparseTensorSpec(None, tf.int8)]) is None  # fmt: skip
    assert not spec.is_compatible_with(tf.SparseTensor([[0, 0]], [1.0], [3, 3]))
    assert tf.TensorArraySpec([2]).is_subtype_of(tf.TensorArraySpec([3]))
    assert not tf.TensorArraySpec(dynamic_size=True).is_subtype_of(tf.TensorArraySpec())
    dense, none = tf.IndexedSlicesSpec([3], dense_shape_dtype=tf.int64), tf.IndexedSlicesSpec([3])  # fmt: skip
    assert not dense.is_compatible_with(none)
    assert len(dense.flatten()) == 3 and len(none.flatten()) == 2


def test_protos_of_composite_specs_come_back():
    classes = struct_pb2.TypeSpecProto
    numbers = [
        classes.INDEXED_SLICES_SPEC,
        classes.SPARSE_TENSOR_SPEC,
        classes.TENSOR_ARRAY_SPEC,
        classes.REGISTERED_TYPE_SPEC,
    ]
    for (_, spec), number in zip(_composites(), numbers, strict=True):
        proto = spec.experimental_as_proto()
        assert proto.type_spec_class == number
        assert proto.num_flat_components == len(spec.flatten())
        assert type(spec).experimental_from_proto(proto) == spec
    with pytest.raises(ValueError, match="RAGGED_TENSOR_SPEC"):
        tf.TypeSpec.experimental_from_proto(
            classes(type_spec_class=classes.RAGGED_TENSOR_SPEC)
        )


def test_specs_of_what_converts_to_a_tensor():
    cases = [
        (tf.zeros([2, 3]), [2, 3], tf.float32),
        (5, [], tf.int32),
        ("text", [], tf.string),
        (True, [], tf.bool),
        ([1.5, 2], [2], tf.float32),
        (np.zeros([2, 0]), [2, 0], tf.float64),
        (tf.Variable(1.0), [], tf.float32),
    ]
    for value, shape, dtype in cases:
        assert tf.type_spec_from_value(value) == tf.TensorSpec(shape, dtype)
    value = tf.SparseTensorValue([[0, 0]], [1.0], [2, 3])
    assert tf.type_spec_from_value(value) == tf.SparseTensorSpec([2, 3])
    for bad in ([[1], [2, 3]], object(), {"a": 1}, tf.float32, tf.TensorSpec([2])):
        with pytest.raises(TypeError, match="no TypeSpec describes"):
            tf.type_spec_from_value(bad)


class _Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


@type_spec.register("test.Pair")
class _PairSpec(tf.TypeSpec):
    def __init__(self, a, b):
        self.parts = a, b

    value_type = _Pair

    def _serialize(self):
        return (*self.parts,)

    @property
    def _component_specs(self):
        return {"a": self.parts[0], "b": [self.parts[1]]}

    def _to_components(self, value):
        return {"a": value.a, "b": [value.b]}

    def _from_components(self, components):
        return _Pair(components["a"], components["b"][0])


def test_a_spec_of_ones_own():
    spec = _PairSpec(tf.TensorSpec([2]), tf.SparseTensorSpec([4]))
    assert len(spec.flatten()) == 4
    wide = _PairSpec(tf.TensorSpec(None), tf.SparseTensorSpec())
    assert spec.is_subtype_of(wide) and not wide.is_subtype_of(spec)
    other = _PairSpec(tf.TensorSpec([3]), tf.SparseTensorSpec([4]))
    assert spec.most_specific_common_supertype([other]) == _PairSpec(
        tf.TensorSpec([None]), tf.SparseTensorSpec([4])
    )
    pair = spec.placeholder_value(None)
    assert isinstance(pair, _Pair) and isinstance(pair.b, tf.SparseTensor)
    assert spec.cast(pair, None) is pair
    cast = spec.cast(_Pair([1.0, 2.0], pair.b), None)
    assert isinstance(cast.a, tf.Tensor) and cast.b is pair.b
    proto = spec.experimental_as_proto()
    assert proto.type_spec_class_name == "test.Pair"
    assert tf.TypeSpec.experimental_from_proto(proto) == spec
    with pytest.raises(ValueError, match="already"):
        type_spec.register("test.Pair")(tf.SparseTensorSpec)


def test_type_spec_itself_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        tf.TypeSpec()
    with pytest.raises(TypeError, match="type_spec.register"):
        type("Unregistered", (_PairSpec,), {})(1, 2).experimental_as_proto()


def test_specs_of_datasets():
    inner = {"a": tf.TensorSpec([None], tf.int64), "b": tf.SparseTensorSpec([2])}
    spec = tf.data.DatasetSpec(inner)
    dataset = tf.data.Dataset.from_tensors(
        {"a": tf.constant([1], tf.int64), "b": tf.SparseTensor([[0]], [1.0], [2])}
    )
    assert spec.is_compatible_with(dataset)
    assert tf.type_spec_from_value(dataset) == tf.data.DatasetSpec.from_value(dataset)
    assert tf.data.DatasetSpec.from_value(dataset).is_subtype_of(spec)
    assert not spec.is_compatible_with(tf.data.Dataset.range(3))
    assert spec.flatten() == [tf.TensorSpec([], tf.variant)]
    (variant,) = spec.to_tensors(dataset)
    again = spec.from_tensors(iter([variant]))
    assert isinstance(again, tf.data.Dataset) and again.element_spec == inner
    other = tf.data.DatasetSpec({**inner, "a": tf.TensorSpec([3], tf.int64)})
    assert spec.most_specific_compatible_type(other) == spec
    proto = spec.experimental_as_proto()
    assert proto.type_spec_class == proto.DATA_DATASET_SPEC
    assert tf.data.DatasetSpec.experimental_from_proto(proto) == spec
    assert spec.value_type is tf.data.Dataset
    assert spec.cast(dataset, None) is dataset
    assert spec.placeholder_value(None).element_spec == inner
