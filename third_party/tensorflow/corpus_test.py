# SPDX-License-Identifier: Apache-2.0
"""The ops of corpus/, which are sources as written for TensorFlow, loaded and run."""

import gzip
import itertools
import pathlib
import re
import zlib

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_resource_variable_ops

LIBRARY = pathlib.Path(__file__).parent / "corpus.so"


@pytest.fixture(scope="module")
def ops():
    return tf.load_op_library(str(LIBRARY))


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_every_source_registers_its_ops(ops):
    names = {op.name for op in ops.OP_LIST.op}
    assert len(names) >= 40
    assert {"CorpusZeroOut", "CorpusRoiPool", "CorpusPairMake"} <= names


def test_loading_again_gives_the_same_module(ops):
    assert tf.load_op_library(str(LIBRARY)) is ops


def test_file_systems_of_an_author_serve_everybody(ops, session):
    del ops  # Loaded.
    assert session.run(tf.read_file("corpus://5")) == b"ccccc"
    assert tf.gfile.GFile("corpus://100000", "rb").read() == b"c" * 100000
    assert tf.gfile.Glob("corpus://folder/1*") == [
        "corpus://folder/1",
        "corpus://folder/10",
    ]
    assert tf.gfile.Stat("corpus://7").length == 7
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        session.run(tf.read_file("corpus://none"))
    with pytest.raises(tf.errors.PermissionDeniedError, match="cannot be written"):
        session.run(tf.write_file("corpus://5", "x"))


def test_zero_out(ops, session):
    y = ops.corpus_zero_out([5, 4, 3], preserve_index=1)
    assert session.run(y).tolist() == [0, 4, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="expects a 1-D vector"):
        session.run(ops.corpus_zero_out(tf.zeros([1, 1], tf.int32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="preserve_index >= 0"):
        session.run(ops.corpus_zero_out([1], preserve_index=-1))


def test_requirements_without_semicolons(ops, session):
    assert session.run(ops.corpus_macros(np.array([1, 2, 5], np.int64))) == 16
    assert session.run(ops.corpus_macros(np.array([1, 5, 2], np.int64), "max")) == 10
    with pytest.raises(tf.errors.FailedPreconditionError, match="max of nothing"):
        session.run(ops.corpus_macros(np.zeros(0, np.int64), mode="max"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is min"):
        session.run(ops.corpus_macros(np.array([1], np.int64), mode="min"))


def test_attrs_of_every_type(ops, session):
    summary = session.run(ops.corpus_all_attrs(1.0))
    assert summary == b"text 9 1.5 yes int64 [2,?] 4 2.5 2321220"
    with pytest.raises(ValueError, match="i must be >= 0, got -1"):
        ops.corpus_all_attrs(1.0, i=-1)


def test_roi_pool_and_its_gradient(ops, session):
    data = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    rois = np.array([[0, 0, 0, 3, 3]], np.float32)
    pooled = ops.corpus_roi_pool(data, rois, 2, 2, 1.0)
    top, argmax = session.run(pooled)
    assert top.reshape(-1).tolist() == [5, 7, 13, 15]
    assert argmax.reshape(-1).tolist() == [5, 7, 13, 15]
    grad = session.run(ops.corpus_roi_pool_grad(data, rois, argmax, top, 1.0))
    expected = np.zeros(16, np.float32)
    expected[[5, 7, 13, 15]] = [5, 7, 13, 15]
    assert grad.reshape(-1).tolist() == expected.tolist()


def test_point_sets(ops, session):
    points = np.array([[[0, 0, 0], [1, 0, 0], [0, 9, 0], [5, 0, 0]]], np.float32)
    farthest = ops.corpus_farthest_points(points, 3)
    assert farthest.shape.as_list() == [1, 3]
    index, gathered = session.run(
        [farthest, ops.corpus_gather_points(points, farthest)]
    )
    assert index.tolist() == [[0, 2, 3]]
    assert gathered.tolist() == points[:, [0, 2, 3]].tolist()


def test_aliased_namespace(ops, session):
    activations = np.arange(6, dtype=np.float32).reshape(3, 1, 2)
    costs, gradients = session.run(ops.corpus_aliased(activations, [3]))
    assert costs.tolist() == [-6]
    assert gradients[:, 0].tolist() == [[-1, 0], [-1, 0], [-1, 0]]


def test_window_counts(ops, session):
    x = np.zeros([2, 5, 7, 3], np.float32)
    window = np.zeros([3, 4], np.float32)
    same = ops.corpus_window_count(x, window, [1, 2, 2, 1], "SAME")
    assert same.shape.as_list() == [1, 3, 4, 1]
    # Rows: (3 - 1) * 2 + 3 - 5 = 2 are added, one in front; columns: 3, one in front.
    expected = np.outer([2, 3, 2], [3, 4, 4, 2])
    assert session.run(same)[0, :, :, 0].tolist() == expected.tolist()
    valid = ops.corpus_window_count(
        np.zeros([2, 3, 5, 7], np.float16),
        window.astype(np.float16),
        [1, 1, 2, 2],
        "VALID",
        data_format="NCHW",
    )
    assert valid.shape.as_list() == [1, 1, 2, 2]
    assert session.run(valid).tolist() == [[[[12, 12], [12, 12]]]]


def test_element_wise(ops, session):
    x = np.linspace(-5, 5, 21).astype(np.float32).reshape(3, 7)
    y = session.run(ops.corpus_hard_swish(x))
    np.testing.assert_allclose(y, x * np.clip(x + 3, 0, 6) / 6, rtol=1e-6)
    g = session.run(ops.corpus_hard_swish_grad(2 * np.ones_like(x), x))
    slope = np.where(x > 3, 1, np.where(x < -3, 0, (2 * x + 3) / 6))
    np.testing.assert_allclose(g, 2 * slope, rtol=1e-5, atol=1e-6)


def test_eigen_expressions(ops, session):
    rng = np.random.RandomState(3)
    logits = rng.randn(4, 5).astype(np.float32)
    weights = rng.randn(5, 3).astype(np.float32)
    softmax, projected, moments = session.run(ops.corpus_softmax_xent(logits, weights))
    e = np.exp(logits - logits.max(1, keepdims=True))
    np.testing.assert_allclose(softmax, e / e.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(projected, logits @ weights, rtol=1e-4, atol=1e-5)
    expected = [logits.mean(), (logits.astype(np.float64) ** 2).sum(), 0, 606]
    np.testing.assert_allclose(moments, expected, rtol=1e-5, atol=1e-7)


def test_views(ops, session):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    facts, copy = session.run(ops.corpus_views(x))
    assert copy.tolist() == x.tolist()
    assert facts.tolist() == [5, 42, 4, 15, 24, 28, 6012, 12, 62, 32, 192, 1, 7]


def test_shape_functions(ops):
    tiled = ops.corpus_tile_shape(tf.zeros([2, 3]), [4, 5])
    assert tiled.shape.as_list() == [8, 15]
    assert ops.corpus_range_shape(3, 8).shape.as_list() == [5]
    assert ops.corpus_range_shape(tf.placeholder(tf.int32, []), 8).shape.as_list() == [
        None
    ]
    with pytest.raises(ValueError, match="Requires start <= limit: 8/3"):
        ops.corpus_range_shape(8, 3)
    with pytest.raises(ValueError, match="for 'limit'"):
        ops.corpus_range_shape(8, [3])
    joined, sized, rest, many = ops.corpus_many_shapes(
        [tf.zeros([2, 3]), tf.zeros([2, 3])], 7, tf.zeros([4], tf.int64)
    )
    assert joined.shape.as_list() == [4, 3]
    assert sized.shape.as_list() == [8, 9]
    assert rest.shape.as_list() == [4, 3]
    assert [m.shape.as_list() for m in many] == [[None, 3, 4]] * 2
    pair = ops.corpus_no_kernel_pair(tf.zeros([2, 1]), tf.zeros([3]))
    assert pair.shape.as_list() == [2, 3]


def test_shape_functions_of_tensorflow_2(ops):
    assert ops.corpus_halves(tf.zeros([3, 8])).shape.as_list() == [3, 4]
    with pytest.raises(ValueError, match="odd: 7"):
        ops.corpus_halves(tf.zeros([7]))
    mixed = ops.corpus_mixed_statuses
    assert mixed(tf.zeros([2]), np.int64(9)).shape.as_list() == [9]
    with pytest.raises(ValueError, match="unlucky"):
        mixed(tf.zeros([13]), np.int64(9))
    assert ops.corpus_same_rank(tf.zeros([1, 2])).shape.as_list() == [1, 2]
    with pytest.raises(ValueError, match="rank"):
        ops.corpus_same_rank(tf.zeros([1]))


def test_string_handle_of_a_resource(ops, session):
    table = ops.corpus_counter_table(shared_name="counters")
    counts = ops.corpus_counter_table_add(table, ["a", "b", "a"])
    assert session.run(counts).tolist() == [1, 1, 2]
    assert session.run(counts).tolist() == [3, 2, 4]


def test_resource_op_kernel(ops, session):
    ring = ops.corpus_ring(capacity=2, shared_name="ring")
    value = tf.placeholder(tf.float32, [])
    push, mean = ops.corpus_ring_push(ring, value), ops.corpus_ring_mean(ring)
    with pytest.raises(tf.errors.FailedPreconditionError, match="the ring is empty"):
        session.run(mean)
    for v in (1.0, 2.0, 4.0):
        session.run(push, {value: v})
    assert session.run(mean) == 3
    other = ops.corpus_ring(capacity=3, shared_name="ring")
    with pytest.raises(tf.errors.InvalidArgumentError, match="has capacity 2"):
        session.run(ops.corpus_ring_mean(other))
    session.run(ops.corpus_ring_destroy(ring))
    with pytest.raises(tf.errors.NotFoundError):
        session.run(mean)
    inline = ops.corpus_ring_inline()
    session.run(ops.corpus_ring_push(inline, 5.0))
    assert session.run(ops.corpus_ring_mean(inline)) == 5


def test_reference_variables(ops, session):
    v = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2), use_resource=False)
    w = tf.Variable(np.ones([3, 2], np.float32), use_resource=False)
    session.run(tf.global_variables_initializer())
    scaled = ops.corpus_scatter_scale(v._variable, [0, 2], 10.0, use_locking=True)
    assert session.run(scaled).tolist() == [[0, 10], [2, 3], [40, 50]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 3"):
        session.run(ops.corpus_scatter_scale(v._variable, [0, 3], 10.0))
    session.run(ops.corpus_swap_refs([v._variable, w._variable]))
    assert session.run(v).tolist() == [[1, 1]] * 3
    session.run(ops.corpus_replace_ref(w._variable, 7.0))
    assert session.run(w._variable) == 7


@pytest.mark.parametrize("use_locking", [False, True])
def test_running_bounds(ops, session, use_locking):
    least = tf.Variable([1.0, 2.0], use_resource=False)
    greatest = tf.Variable([1.0, 2.0], use_resource=False)
    session.run(tf.global_variables_initializer())
    step = ops.corpus_running_bounds(
        least._variable, greatest._variable, [0.0, 9.0], 0.5, use_locking=use_locking
    )
    low, high = session.run(step)
    assert (low.tolist(), high.tolist()) == ([-0.5, 2], [1, 9.5])
    assert session.run(least).tolist() == [-0.5, 2]
    # Both inputs are one variable, so both locks are one.
    same = ops.corpus_running_bounds(
        least._variable, least._variable, [0.0, 0.0], 0.0, use_locking=use_locking
    )
    session.run(same)
    with pytest.raises(ValueError, match="must be equal|shape"):
        ops.corpus_running_bounds(least._variable, greatest._variable, [0.0], 0.5)


def test_asynchronous_kernels(ops, session):
    assert session.run(ops.corpus_async_sum(np.arange(101, dtype=np.int32))) == 5050
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must be a vector"):
        session.run(ops.corpus_async_sum(3))
    x = np.arange(1000, dtype=np.float32)
    assert session.run(ops.corpus_parallel_square(x)).tolist() == (x * x).tolist()


def test_random_numbers(ops, session):
    op = ops.corpus_random([100, 20], seed=3, seed2=4)
    uniform, normal, picks = session.run(op)
    assert uniform.shape == (100, 20) and 0 <= uniform.min() < uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.03 and abs(normal.mean()) < 0.1
    assert abs(normal.std() - 1) < 0.1
    assert picks[0] < 3 and picks[1] < 5 and picks[3] == 0
    with tf.Graph().as_default(), tf.Session() as again:
        same = again.run(ops.corpus_random([100, 20], seed=3, seed2=4).uniform)
    assert (same == uniform).all()


def test_string_tools(ops, session):
    tokens, hashes, report = session.run(
        ops.corpus_tokenize("Xyz 12 k=v, 1.5 preface xyz")
    )
    assert tokens.tolist() == [b"1.5", b"12", b"xyz", b"k=v", b"preface", b"xyz"]
    assert hashes[2] != hashes[5] and (hashes >= 0).all()
    text = report.decode()
    assert text.startswith("6 tokens float 1.50 int 12 key k= value v")
    assert "face" in text and "xyz:xyz" in text and "00ff" in text
    assert text.endswith("\\nb+c")


def test_tstrings(ops, session):
    words, joined = session.run(ops.corpus_word_count(["b a", "A  c a"]))
    assert words.tolist() == [b"a:3", b"b:1", b"c:1"]
    assert joined == b"a:3,b:1,c:1!"


def test_argument_lists(ops, session):
    x = np.ones([2, 2], np.float32)
    assert session.run(ops.corpus_add_all([x, 2 * x, 3 * x])).tolist() == [[6, 6]] * 2
    out = ops.corpus_typed_list(1, [2.0, True, "s"], [1.0, 2.0], num=3)
    types, same, copies = session.run([out.types, out.same, out.copies])
    assert types == b"float,bool,string"
    assert [np.asarray(s).item() for s in same] == [2.0, True, b"s"]
    assert [c.tolist() for c in copies] == [[1, 2], [2, 3], [3, 4]]


def test_variants(ops, session):
    a, n = ops.corpus_pair_take(ops.corpus_pair_make([1.0, 2.0], np.int64(7)))
    a, n = session.run([a, n])
    assert a.tolist() == [1, 2] and n == 7


def test_ops_read_and_measure_files(ops, session, tmp_path):
    contents, facts = session.run(ops.corpus_file_facts(str(tmp_path)))
    assert contents == b"first\nsecond\nthird"
    assert facts.tolist() == [18, 1]


def test_containers(ops, session):
    values, facts = session.run(ops.corpus_top_k([3.0, 9.0, 1.0, 7.0], 2))
    assert values.tolist() == [9, 7]
    assert facts.tolist() == [24, 9, 3, 3, 914, 1]


def test_protocol_buffers(ops, session):
    proto = tf.make_tensor_proto([1.0, 2.0]).SerializeToString()
    text, tensor = session.run(ops.corpus_describe_tensor(proto, T=tf.float32))
    assert tensor.tolist() == [1, 2] and b"dtype: DT_FLOAT" in text
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
        session.run(ops.corpus_describe_tensor("\xff\xff", T=tf.float32).text)


def test_logging(ops, session, capfd):
    assert session.run(ops.corpus_log(-3)) == -3
    printed = capfd.readouterr().err
    # As TensorFlow's: shown unless TF_CPP_MIN_LOG_LEVEL says otherwise.
    assert re.search(r": I \S*logging_and_checks.cc:\d+\] negative -3\n", printed)


def test_functor_in_a_header(ops, session):
    assert session.run(ops.corpus_scale_two([1.5, 2.0])).tolist() == [3, 4]


@pytest.mark.parametrize(
    "value",
    [
        np.float16([1, 2]),
        np.float64([1, 2]),
        np.complex64([1j, 2]),
        np.array([True, False]),
        np.uint16([1, 65535]),
        np.array([b"a", b"bc"], object),
    ],
    ids=lambda v: str(v.dtype),
)
def test_kernels_of_all_types(ops, session, value):
    assert session.run(ops.corpus_copy(value)).tolist() == value.tolist()


def test_lowest_of_all_types(ops, session):
    for dtype in (np.float16, np.float32, np.float64, np.int32, np.int64):
        x = np.array([3, -2, 5], dtype)
        lowest, facts = session.run(ops.corpus_lowest(x))
        assert lowest == -2 and facts[0] == -2 and facts[1] == 2.5
        assert facts[2] == (110 if np.issubdtype(dtype, np.integer) else 101)


def test_sampled_words(ops, session, tmp_path):
    text = tmp_path / "text"
    text.write_text("b a a  c a\nb ")
    sampled = ops.corpus_sampled_words(path=str(text), draws=500, known=["d"])
    words, shares, drawn = session.run(sampled)
    assert words.tolist() == [b"a", b"b", b"c", b"d"]
    np.testing.assert_allclose(shares, [3 / 6, 2 / 6, 1 / 6, 0])
    counts = np.bincount(drawn, minlength=4) / 500
    np.testing.assert_allclose(counts, shares, atol=0.1)
    assert counts[3] == 0
    assert session.run(sampled).drawn.tolist() != drawn.tolist()
    with pytest.raises(tf.errors.NotFoundError):
        session.run(ops.corpus_sampled_words(path=str(tmp_path / "none"), draws=1))


def test_push_apart(ops, session):
    start = np.array([[1, 1], [0, 0], [5, 5]], np.float32)
    table = tf.Variable(start, use_resource=False)
    session.run(tf.global_variables_initializer())
    push = ops.corpus_push_apart(table._variable, [0, 2, 0], weights=[0.0, 2.0, 0.0])
    assert session.run(push).tolist() == [1, 1, 1]
    expected = start.copy()
    for row in (0, 2, 0):
        gap = expected[row] - expected[1]
        expected[row] += gap / (1 + (gap**2).sum())
    np.testing.assert_allclose(session.run(table), expected, rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="each of 1 weights"):
        session.run(ops.corpus_push_apart(table._variable, [0], weights=[1.0]))


def test_image_shift(ops, session):
    image = np.arange(6, dtype=np.float32).reshape(1, 2, 3, 1)
    shift = ops.corpus_image_shift
    nearest = session.run(shift(image, [[1.0, 0.0]], "NEAREST"))
    assert nearest.reshape(2, 3).tolist() == [[3, 4, 5], [0, 0, 0]]
    bilinear = session.run(shift(image, [[0.0, 0.5]], "BILINEAR"))
    assert bilinear.reshape(2, 3).tolist() == [[0.5, 1.5, 1.0], [3.5, 4.5, 2.5]]
    bytes_ = session.run(shift(image.astype(np.uint8), [[-1.0, 1.0]], "NEAREST"))
    assert bytes_.reshape(2, 3).tolist() == [[0, 0, 0], [1, 2, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="NEAREST or BILINEAR"):
        session.run(shift(image, [[0.0, 0.0]], "CUBIC"))
    fed = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(shift(image, fed, "NEAREST"), {fed: [[0.0, 0.0, 0.0]]})


def test_paths_up_a_tree(ops, session):
    parents = np.array([-1, 0, 0, 1, 3], np.int32)
    climb = ops.corpus_climb(parents, [[4, 2], [0, -1]], depth=3)
    assert climb.shape.as_list() == [2, 2, 3]
    assert session.run(climb).tolist() == [
        [[4, 3, 1], [2, 0, -1]],
        [[0, -1, -1], [-1, -1, -1]],
    ]
    with pytest.raises(tf.errors.InvalidArgumentError, match="no node [78] above"):
        session.run(ops.corpus_climb(parents + 8, [[0, 1]], depth=2))


def test_high_dim_filter(ops, session):
    x = np.random.RandomState(1).rand(2, 3, 4).astype(np.float32)
    y = session.run(ops.corpus_high_dim_filter(x, x[:1], bilateral=False))
    rows, cols = np.mgrid[:3, :4].reshape(2, -1)
    d2 = (rows[:, None] - rows) ** 2 + (cols[:, None] - cols) ** 2
    w = np.exp(-d2 / 2)
    expected = (x.reshape(2, -1) @ w / w.sum(0)).reshape(x.shape)
    np.testing.assert_allclose(y, expected, rtol=1e-5)


def test_work_in_another_thread(ops, session):
    done = ops.corpus_allreduce([1.0, 2.0], reduce_op=0, prescale_factor=3.0)
    assert session.run(done).tolist() == [3, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="reduce_op of"):
        session.run(ops.corpus_allreduce([1.0], reduce_op=4))


def test_resource_variable(ops, session):
    handle = gen_resource_variable_ops.var_handle_op(dtype=tf.float32, shape=[3])
    start = tf.constant([1.0, 2.0, 3.0])
    session.run(gen_resource_variable_ops.assign_variable_op(handle, start))
    add = ops.corpus_clamp_add(handle, [10.0, 10.0, 10.0], limit=2)
    assert session.run(add).tolist() == [11, 12, 3]
    value = gen_resource_variable_ops.read_variable_op(handle, dtype=tf.float32)
    assert session.run(value).tolist() == [11, 12, 3]


def test_later_spellings(ops, session):
    x = np.arange(50, dtype=np.float32).reshape(10, 5)
    expected = 3 * x + 1
    expected[9] = expected[0]
    assert session.run(ops.corpus_later(x)).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="block"):
        ops.corpus_later(x, block=2000)
    with pytest.raises(tf.errors.InvalidArgumentError, match="block must be > 0"):
        session.run(ops.corpus_later(x, block=0))


def test_kinds_of_attrs(ops, session):
    weights = ops.corpus_weigh(["3 kg", "-4 kg"], unit=tf.int32)
    assert session.run(weights).tolist() == [3, -4]
    assert session.run(ops.corpus_weigh("2.5 kg")) == 2.5
    with pytest.raises(tf.errors.InvalidArgumentError, match="no weight: x"):
        session.run(ops.corpus_weigh(["x"]))
    session.run(ops.corpus_shout("softly"))
    with pytest.raises(ValueError):
        ops.corpus_shout("twice")
    with pytest.raises(ValueError):
        ops.corpus_attr_at_least(1)
    node = ops.corpus_attrs_with_defaults().node_def.attr
    assert node["whole"].i == -7 and node["primes"].list.i == [2, 3, 5]
    assert node["value"].tensor.int_val == [9]
    same = ops.corpus_lists_of_any_type([tf.zeros([]), "text"])
    assert [t.dtype for t in same] == [tf.float32, tf.string]


def test_sparse_tensors(ops, session):
    indices = np.array([[2, 0], [0, 1], [2, 1]], np.int64)
    values = np.array([3, 4, 5], np.float32)
    shape = np.array([3, 2], np.int64)
    rows, sums, dense = session.run(ops.corpus_sparse_row_sums(indices, values, shape))
    assert rows.tolist() == [0, 2]
    assert sums.tolist() == [4, 8]
    assert dense.tolist() == [[0, 4], [0, 0], [3, 5]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        session.run(ops.corpus_sparse_row_sums(indices + 1, values, shape))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is repeated"):
        session.run(ops.corpus_sparse_row_sums(0 * indices, values, shape))
    with pytest.raises(ValueError, match="4 and 3"):
        ops.corpus_sparse_row_sums(np.zeros([4, 2], np.int64), values, shape)
    sizes, joined = session.run(
        ops.corpus_sparse_parts(indices[[1, 0, 2]], values[[1, 0, 2]], shape)
    )
    assert sizes.tolist() == [1, 2]
    assert joined.tolist() == [4, 3, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        session.run(ops.corpus_sparse_parts(indices, values, shape))


def test_readers(ops, session, tmp_path):
    names = [str(tmp_path / n) for n in ("one", "two", "none")]
    (tmp_path / "one").write_text("a comment\na=1\nb=2=3\r\n")
    (tmp_path / "two").write_text("a key longer than the buffer=x\nanother comment")
    (tmp_path / "none").write_text("")
    with tf.control_dependencies(None):
        reader = ops.corpus_pair_reader(shared_name="pairs")
    first = session.run(ops.corpus_read_pairs(reader, [names[0]], np.int64(1)))
    assert (first.keys.tolist(), first.values.tolist()) == ([b"a"], [b"1"])
    assert first.records_and_files.tolist() == [1, 0]
    rest = session.run(ops.corpus_read_pairs(reader, [], np.int64(9)))
    assert (rest.keys.tolist(), rest.values.tolist()) == ([b"b"], [b"2=3"])
    rest = session.run(ops.corpus_read_pairs(reader, names[1:], np.int64(9)))
    assert rest.keys.tolist() == [b"a key longer than the buffer"]
    assert rest.records_and_files.tolist() == [3, 3]
    with pytest.raises(tf.errors.OutOfRangeError, match="the stack is empty"):
        session.run(ops.corpus_read_pairs(reader, [], np.int64(1)))
    with pytest.raises(tf.errors.NotFoundError):
        session.run(ops.corpus_read_pairs(reader, ["/no/such"], np.int64(1)))


def test_tables(ops, session):
    table = ops.corpus_step_table(
        key_dtype=tf.int64, value_dtype=tf.float32, shared_name="steps"
    )
    keys, heights = np.array([10, 0, 20]), [1.5, 0.5, 2.5]
    session.run(ops.corpus_step_table_set(table, keys, heights))
    at = np.array([-1, 0, 19, 20, 99])
    values, steps = session.run(ops.corpus_step_table_get(table, at, -7.0))
    assert values.tolist() == [-7, 0.5, 1.5, 2.5, 2.5]
    assert steps == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="values must have shape"):
        session.run(ops.corpus_step_table_set(table, keys, heights[:2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="keys must be int64"):
        session.run(ops.corpus_step_table_get(table, ["a"], 0.0))
    other = ops.corpus_step_table(
        key_dtype=tf.string, value_dtype=tf.int64, shared_name="steps"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="int64 -> float"):
        session.run(other)


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
def test_record_files(ops, session, tmp_path, compression):
    path = tmp_path / "records"
    records = [b"", b"one", bytes(range(256)) * 5000]
    write = ops.corpus_record_file(str(path), records, compression_type=compression)
    read, size = session.run(write)
    assert read.tolist() == records
    data = path.read_bytes()
    assert size == len(data)
    if compression == "GZIP":
        data = gzip.decompress(data)
    elif compression:
        assert len(data) < 20000
        data = zlib.decompress(data)
    # TFRecord: a known file of one empty record begins so.
    assert data[:16].hex() == "0000000000000000" + "29039807" + "d8ea82a2"
    assert len(data) == 3 * 16 + sum(map(len, records))


def test_streams(ops, session, tmp_path):
    text = b"headXfirst line\r\nthe rest\nof it"
    (tmp_path / "plain").write_bytes(text)
    (tmp_path / "gz").write_bytes(gzip.compress(text))
    for name in ("plain", "gz"):
        head, line, rest, crc = session.run(
            ops.corpus_head_of_file(str(tmp_path / name), gzip=name == "gz")
        )
        assert (head, line, rest) == (b"head", b"first line", b"the rest\nof it")
        assert 0 < crc < 2**32
    (tmp_path / "gz").write_bytes(b"headXfirst line, not gzip at all\n")
    with pytest.raises(tf.errors.DataLossError):
        session.run(ops.corpus_head_of_file(str(tmp_path / "gz"), gzip=True))


def test_matrix_batches(ops, session):
    a = np.random.RandomState(0).standard_normal([3, 2, 4, 4])
    a = a @ a.transpose(0, 1, 3, 2) + np.eye(4)
    y = ops.corpus_log_determinant(a)
    assert y.shape.as_list() == [3, 2]
    np.testing.assert_allclose(session.run(y), np.linalg.slogdet(a)[1], rtol=1e-10)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be square"):
        session.run(ops.corpus_log_determinant(np.zeros([2, 3])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive definite"):
        session.run(ops.corpus_log_determinant(-np.eye(2)))


def test_resizing(ops, session):
    images = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
    resize = ops.corpus_resize_nearest
    assert session.run(resize(images, [2, 2]))[0, :, :, 0].tolist() == [[0, 2], [4, 6]]
    corners = session.run(resize(images, [2, 2], align_corners=True))
    assert corners[0, :, :, 0].tolist() == [[0, 3], [8, 11]]
    centers = session.run(resize(images, [3, 2], half_pixel_centers=True))
    assert centers[0, :, :, 0].tolist() == [[1, 3], [5, 7], [9, 11]]
    for size in ([0, 2], [2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="size must"):
            session.run(resize(images, size))


def test_pieces_of_convolutions(ops, session):
    rng = np.random.RandomState(1)
    images = rng.standard_normal([2, 3, 4, 5]).astype(np.float32)
    filters = rng.standard_normal([1, 1, 5, 6]).astype(np.float32)
    first, last, padded, transformed, product = session.run(
        ops.corpus_conv_pieces(images, filters)
    )
    np.testing.assert_array_equal(first, images.transpose(0, 3, 1, 2))
    np.testing.assert_array_equal(last, images)
    np.testing.assert_array_equal(
        padded, np.pad(images, [[0, 0], [1, 2], [0, 1], [0, 0]])
    )
    np.testing.assert_array_equal(transformed, filters.transpose(3, 2, 0, 1))
    expected = images.reshape(24, 5) @ filters.reshape(5, 6)
    np.testing.assert_allclose(product, expected, rtol=1e-5, atol=1e-5)


def test_gather_and_scatter(ops, session):
    params = np.arange(8, dtype=np.int32).reshape(4, 2)
    gathered, summed, turned, filled = session.run(
        ops.corpus_gather_scatter(params, np.array([3, 0, 3], np.int64))
    )
    assert gathered.tolist() == params[[3, 0, 3]].tolist()
    expected = params.copy()
    expected[0] *= 2
    expected[3] *= 3
    assert summed.tolist() == expected.tolist()
    assert turned.tolist() == params.T.tolist()
    assert filled.tolist() == [7, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\]"):
        session.run(ops.corpus_gather_scatter(params, [0, 4]))


@pytest.mark.parametrize("lock", [False, True])
def test_reference_variables_pulled_together(ops, session, lock):
    left = tf.Variable([1.0, 2.0], use_resource=False)
    right = tf.Variable([3.0, -2.0], use_resource=False)
    pull = ops.corpus_pull_together(left._variable, right._variable, 0.25, lock=lock)
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(pull)
    session.run(tf.global_variables_initializer())
    assert session.run(pull).tolist() == [1.5, 1]
    assert session.run(right).tolist() == [2.5, -1]


@pytest.mark.parametrize("lock", [False, True])
def test_resource_variables_pulled_together(ops, session, lock):
    handles = [
        gen_resource_variable_ops.var_handle_op(
            dtype=tf.float32, shape=[2], shared_name=name
        )
        for name in ("left", "right")
    ]
    pull = ops.corpus_resource_pull_together(*handles, 0.25, lock=lock)
    with pytest.raises(tf.errors.NotFoundError):
        session.run(pull)
    for handle, start in zip(handles, ([1.0, 2.0], [3.0, -2.0]), strict=True):
        session.run(gen_resource_variable_ops.assign_variable_op(handle, start))
    session.run(pull)
    left, right = (
        session.run(gen_resource_variable_ops.read_variable_op(h, dtype=tf.float32))
        for h in handles
    )
    assert left.tolist() == [1.5, 1]
    assert right.tolist() == [2.5, -1]


def test_text_rules(ops, session):
    rules = ops.corpus_text_rules(["a12b3", "x"], pattern="[0-9]+", rewrite="<\\0>")
    replaced, facts = session.run(rules)
    assert replaced.tolist() == [b"a<12>b<3>", b"x"]
    assert facts.tolist() == [
        b"distinct=2/2",
        b"-12",
        b"0.1",
        b"255",
        b"3+1+-4+3",
        b"1",
        b"a|b",
        b"row_norm_of_3_d",
        b"/a/c/d",
        b"s3+bucket+/a/b",
        b"http://x.org/y",
        b"name.tar",
        b"2",
    ]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        session.run(ops.corpus_text_rules(["a"], pattern="(", rewrite=""))


def test_many_headers(ops, session):
    facts = session.run(ops.corpus_many_headers([1.0])).tolist()
    assert facts[0] >= 1
    assert facts[1:] == [66, 4, 9, 4, 499500, 1, 0, 3]
    with pytest.raises(tf.errors.OutOfRangeError, match="must be >= 0"):
        session.run(ops.corpus_many_headers([-1.0]))
    with pytest.raises(tf.errors.NotFoundError, match="no activation"):
        session.run(ops.corpus_many_headers([1.0], activation_mode="Relu7"))


def test_exceptions_are_errors(ops, session):
    """Shape functions, constructors and kernels may throw, asynchronous kernels too."""
    for where, match in [("shape", "shape function threw"), ("no input", "input 7")]:
        with pytest.raises((ValueError, tf.errors.OpError), match=match):
            ops.corpus_throw([1.0], where=where)
    for where, match in [
        ("constructor", "constructor of the kernel of CorpusThrow threw.*no memory"),
        ("compute", "kernel of CorpusThrow threw an exception: in the middle"),
    ]:
        with pytest.raises(tf.errors.InternalError, match=match):
            session.run(ops.corpus_throw([1.0], where=where))
    assert session.run(ops.corpus_throw([1.0], where="nowhere")).tolist() == [1.0]


def _ctc_best(logits, merge_repeated):
    """Label sequences, most probable first, by adding up all alignments."""
    log_probs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    steps, classes = log_probs.shape
    total = {}
    for alignment in itertools.product(range(classes), repeat=steps):
        labels = [k for k, _ in itertools.groupby(alignment) if k != classes - 1]
        probability = np.exp(log_probs[range(steps), alignment].sum())
        total[tuple(labels)] = total.get(tuple(labels), 0.0) + probability
    best = sorted(total.items(), key=lambda item: -item[1])
    if merge_repeated:
        best = [(tuple(k for k, _ in itertools.groupby(s)), p) for s, p in best]
    return best


@pytest.mark.parametrize("merge_repeated", [False, True])
def test_ctc_beams(ops, session, merge_repeated):
    rng = np.random.RandomState(7)
    for _ in range(5):
        logits = 2 * rng.randn(6, 1, 3).astype(np.float32)
        values, log_probability = session.run(
            ops.corpus_ctc_beams(
                logits, [6], top_paths=4, merge_repeated=merge_repeated
            )
        )
        best = _ctc_best(logits[:, 0].astype(np.float64), merge_repeated)[:4]
        assert [tuple(v) for v in values] == [labels for labels, _ in best]
        np.testing.assert_allclose(
            log_probability[0], np.log([p for _, p in best]), rtol=1e-4
        )


def test_ctc_scorer_and_greedy(ops, session):
    logits = np.log([[[0.4, 0.1, 0.5]], [[0.1, 0.4, 0.5]]]).astype(np.float32)
    plain, cheered = session.run(
        [ops.corpus_ctc_beams(logits, [2], bonus=b) for b in (0.0, 5.0)]
    )
    assert plain[0][0].tolist() == [0]  # 0_, _0 and 00; 0 then 1 is less.
    assert cheered[0][0].tolist() == [0, 1]
    np.testing.assert_allclose(cheered[1], np.log(0.16) + 10, rtol=1e-5)
    greedy = session.run(ops.corpus_ctc_beams(logits, [2], greedy=True))
    assert greedy[0][0].tolist() == []
    np.testing.assert_allclose(greedy[1], -2 * np.log(0.5), rtol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="seq_len.0. must be in"):
        session.run(ops.corpus_ctc_beams(logits, [3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="9 sequences"):
        session.run(ops.corpus_ctc_beams(logits, [2], top_paths=9, beam_width=2))


def test_example_records(ops, session, tmp_path):
    examples = [tf.train.Example(), tf.train.Example(), tf.train.Example()]
    examples[0].features.feature["v"].float_list.value.extend([1, 2.5])
    examples[1].features.feature["v"].int64_list.value.extend([3, -1, 5])
    examples[2].features.feature["v"].bytes_list.value.append(b"four")
    records = [e.SerializeToString() for e in examples]
    log = str(tmp_path / "log")
    sums, doubled, name, size = session.run(
        ops.corpus_examples(records, key="v", log=log)
    )
    assert sums.tolist() == [3.5, 7, 4]
    parsed = tf.train.Example.FromString(doubled[0])
    assert list(parsed.features.feature["v"].float_list.value) == [2, 5]
    assert doubled[1] == records[1]
    assert (name, size) == (log.encode(), 6)
    with pytest.raises(tf.errors.NotFoundError, match="record 0 has no feature w"):
        session.run(ops.corpus_examples(records, key="w", log=log))
    with pytest.raises(tf.errors.DataLossError, match="record 0 is no Example"):
        session.run(ops.corpus_examples(["\xff"], key="v", log=log))


def test_context_members(ops, session):
    x = np.ones([2, 3], np.float32)
    y, facts = session.run(ops.corpus_context(x, n=4))
    assert y.tolist() == (2 * x).tolist()
    assert facts.tolist() == [4, 2, 2, 4, 2, 15, 0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="n must be > 0, got -1"):
        session.run(ops.corpus_context(x, n=-1))
    with pytest.raises(ValueError, match="rank of"):
        ops.corpus_context(np.ones([1, 2, 3, 4]))


@pytest.mark.parametrize(
    ("what", "match"),
    [
        ("rank", r"shape \[3\] is seen as one of 2 dimensions"),
        ("type", r"type float and shape \[3\] is read as int32"),
        ("dimension", r"shape \[3\] has no dimension 9"),
        ("scalar", r"shape \[3\] is read as a scalar"),
        ("input", "asks for input 3 of a node with 1 inputs"),
        ("shards", r"shape \[3\] is seen as one of 2 dimensions"),
    ],
)
def test_wrong_views_are_errors(ops, session, what, match):
    """The error names the kernel as wrong, and the process lives on."""
    match = f"kernel of CorpusWrongView is wrong: .*{match}"
    with pytest.raises(tf.errors.InternalError, match=match) as caught:
        session.run(ops.corpus_wrong_view([1.0, 2.0, 3.0], what=what))
    assert "corpus/wrong_views.cc:" in str(caught.value)
    assert session.run(ops.corpus_wrong_view([1.0], what="")) == 0


def test_a_broken_promise_is_a_warning(ops, session, capfd):
    """TensorFlow runs such ops."""
    x = tf.placeholder(tf.float32)
    y = ops.corpus_wrong_view(x, what="promise")
    assert session.run(y, {x: [1.0]}).shape == (2,)
    found = capfd.readouterr().err
    words = r"output 0 to shape \[2\], but the shape function promised \[\]"
    assert re.search(rf"CorpusWrongView \(node .*\): .*{words}", found), found
    session.run(y, {x: [1.0, 2.0]})
    assert "promised" not in capfd.readouterr().err


def test_a_failed_requirement_shows_its_line(ops, session):
    source = pathlib.Path(__file__).parent / "corpus/wrong_views.cc"
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        session.run(ops.corpus_wrong_view([1.0], what="requirement"))
    line = re.search(
        r"failed  OP_REQUIRES .*corpus/wrong_views\.cc:(\d+)", str(caught.value)
    )
    assert line, str(caught.value)
    if source.exists():
        text = source.read_text().splitlines()[int(line[1]) - 1]
        assert "OP_REQUIRES" in text or "must not be" in text
