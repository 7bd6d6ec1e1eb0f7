# SPDX-License-Identifier: Apache-2.0
"""Saver: what is saved, which checkpoints stay, and what restoring gives."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import saver_pb2
from tensorwright.python.framework import meta_graph
from tensorwright.python.lib.io import file_io
from tensorwright.python.training import saver as saver_lib

V1, V2 = saver_pb2.SaverDef.V1, saver_pb2.SaverDef.V2


def _session(**arguments):
    """A session of the default graph with two CPUs, its variables initialized."""
    session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}), **arguments)
    session.run(tf.global_variables_initializer())
    return session


@pytest.mark.parametrize("version", [V1, V2])
@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("sequentially", [False, True])
def test_variables_come_back(version, sharded, sequentially, tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            tf.Variable([1.0, 2.0], name="a")
        with tf.device("/cpu:1"):
            tf.Variable(3, name="b")
            tf.Variable(["x", ""], name="c")
        saver = tf.train.Saver(
            sharded=sharded, write_version=version, restore_sequentially=sequentially
        )
        with _session() as session:
            saved = saver.save(session, path)
            if sharded and version == V1:
                assert saved == path + "-?????-of-00002"
            else:
                assert saved == path
        assert not [f for f in os.listdir(tmp_path) if "temp" in f]
    # Another process would build the graph anew, with other values.
    with tf.Graph().as_default():
        a, b = tf.Variable([0.0, 0.0], name="a"), tf.Variable(0, name="b")
        c = tf.Variable(["", ""], name="c")
        with tf.Session() as session:
            tf.train.Saver(write_version=version).restore(session, saved)
            np.testing.assert_array_equal(session.run(a), [1, 2])
            assert session.run(b) == 3
            assert session.run(c).tolist() == [b"x", b""]


def test_names_may_be_given(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default():
        v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
        saver = tf.train.Saver({"first": v, "second": w})
        with _session() as session:
            saver.save(session, path)
        assert tf.train.list_variables(path) == [("first", []), ("second", [])]
        with tf.Session() as session:
            tf.train.Saver({"second": v}).restore(session, path)
            assert session.run(v) == 2
            assert not session.run(tf.is_variable_initialized(w))


def test_what_cannot_be_saved_is_refused():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="No variables to save"):
            tf.train.Saver()
        v = tf.Variable(1.0, name="v")
        with pytest.raises(TypeError, match="not a Variable"):
            tf.train.Saver([tf.constant(1.0)])
        with pytest.raises(ValueError, match="same name"):
            tf.train.Saver([v, v])
        with pytest.raises(ValueError, match="two names"):
            tf.train.Saver({"a": v, "b": v})
        with pytest.raises(ValueError, match="build cannot be deferred"):
            tf.train.Saver([v], defer_build=True)
        with pytest.raises(TypeError, match="dict or a list"):
            tf.train.Saver(v)


def test_an_empty_saver_does_nothing(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.Saver(allow_empty=True)
        assert saver.save(session, str(tmp_path / "x"), write_meta_graph=False) is None
        saver.restore(session, "anywhere")
    assert os.listdir(tmp_path) == []


def test_a_deferred_saver_is_built_later(tmp_path):
    with tf.Graph().as_default():
        saver = tf.train.Saver(defer_build=True)
        v = tf.Variable(1.0, name="v")
        with _session() as session:
            with pytest.raises(RuntimeError, match="build"):
                saver.save(session, str(tmp_path / "x"))
            saver.build()
            saver.save(session, str(tmp_path / "x"))
            session.run(v.assign(5.0))
            saver.restore(session, str(tmp_path / "x"))
            assert session.run(v) == 1


def test_the_last_few_checkpoints_stay(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default():
        tf.Variable(1.0, name="v")
        step = tf.Variable(0, name="step")
        saver = tf.train.Saver(max_to_keep=2)
        with _session() as session:
            for i in range(4):
                session.run(step.assign(i))
                assert saver.save(session, path, global_step=step) == f"{path}-{i}"
        assert saver.last_checkpoints == [f"{path}-2", f"{path}-3"]
        assert {f for f in os.listdir(tmp_path) if "index" in f} == {
            "model-2.index",
            "model-3.index",
        }
        assert {f for f in os.listdir(tmp_path) if "meta" in f} == {
            "model-2.meta",
            "model-3.meta",
        }
        assert tf.train.latest_checkpoint(str(tmp_path)) == f"{path}-3"
        state = tf.train.get_checkpoint_state(str(tmp_path))
        assert list(state.all_model_checkpoint_paths) == [f"{path}-2", f"{path}-3"]
        # Another process goes on.
        again = tf.train.Saver(max_to_keep=2)
        again.recover_last_checkpoints([f"{path}-2", f"{path}-3", f"{path}-none"])
        with _session() as session:
            again.save(session, path, global_step=9)
            # Saved again, it is new.
            again.save(session, path, global_step=9)
        assert again.last_checkpoints == [f"{path}-3", f"{path}-9"]
        assert not tf.train.checkpoint_exists(f"{path}-2")


def test_some_checkpoints_stay_for_good(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default():
        tf.Variable(1.0, name="v")
        saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
        with _session() as session:
            for i in range(3):
                saver.save(session, path, global_step=i, write_meta_graph=False)
    assert tf.train.checkpoint_exists(f"{path}-0")
    assert saver.last_checkpoints == [f"{path}-2"]


def test_all_checkpoints_stay_if_so_asked(tmp_path):
    with tf.Graph().as_default():
        tf.Variable(1.0, name="v")
        for keep in (0, None):
            saver = tf.train.Saver(max_to_keep=keep)
            with _session() as session:
                paths = [saver.save(session, str(tmp_path / "m"), i) for i in range(7)]
            assert all(map(tf.train.checkpoint_exists, paths))
            assert saver.last_checkpoints == []


def test_file_names(tmp_path):
    with tf.Graph().as_default(), _session() as session:
        tf.Variable(1.0, name="v")
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver(pad_step_number=True)
        path = str(tmp_path / "m")
        assert (
            saver.save(session, path, 7, latest_filename="list") == f"{path}-00000007"
        )
        assert tf.train.latest_checkpoint(str(tmp_path)) is None
        assert tf.train.latest_checkpoint(str(tmp_path), "list") == f"{path}-00000007"
        saver.save(session, path, meta_graph_suffix="graph", write_state=False)
        assert os.path.exists(f"{path}.graph")
        with pytest.raises(ValueError, match="path components"):
            saver.save(session, path, latest_filename="a/b")
        with pytest.raises(ValueError, match="collides"):
            saver.save(session, str(tmp_path / "checkpoint"))
        with pytest.raises(ValueError, match="Parent directory"):
            saver.save(session, str(tmp_path / "no" / "such" / "m"))
        with pytest.raises(TypeError, match="Session"):
            saver.save(None, path)


def test_a_folder_of_relative_paths_may_be_moved(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    with tf.Graph().as_default():
        v = tf.Variable(4.0, name="v")
        saver = tf.train.Saver(save_relative_paths=True)
        with _session() as session:
            saver.save(session, str(old / "m"), 1)
        old.rename(new)
        latest = tf.train.latest_checkpoint(str(new))
        assert latest == str(new / "m-1")
        with tf.Session() as session:
            saver.restore(session, latest)
            assert session.run(v) == 4


@pytest.mark.parametrize("use_resource", [False, True])
def test_restoring_into_another_shape(use_resource, tmp_path):
    path = str(tmp_path / "m")
    with tf.Graph().as_default():
        tf.Variable(np.arange(6.0), name="v")
        with _session() as session:
            tf.train.Saver().save(session, path)
    with tf.Graph().as_default():
        v = tf.get_variable(
            "v", initializer=np.zeros([2, 3]), use_resource=use_resource
        )
        with tf.Session() as session:
            words = r"'v' has shape \[6\] in the .* its variable has shape \[2, 3\]"
            with pytest.raises(tf.errors.InvalidArgumentError, match=words) as caught:
                tf.train.Saver().restore(session, path)
            assert caught.value.message.count(path) == 1
            assert not session.run(tf.is_variable_initialized(v))
            tf.train.Saver(reshape=True).restore(session, path)
            np.testing.assert_array_equal(session.run(v), [[0, 1, 2], [3, 4, 5]])


def test_what_is_missing_is_named(tmp_path):
    path = str(tmp_path / "m")
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        with _session() as session:
            tf.train.Saver().save(session, path)
            with pytest.raises(tf.errors.NotFoundError, match="other"):
                tf.train.Saver({"other": v}).restore(session, path)
            with pytest.raises(ValueError, match="not a valid checkpoint"):
                tf.train.Saver().restore(session, path + "x")
            with pytest.raises(ValueError, match="None"):
                tf.train.Saver().restore(session, None)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_without_a_shape_takes_any(use_resource, tmp_path):
    path = str(tmp_path / "m")
    for value in ([1.0, 2.0], [[3.0]]):
        with tf.Graph().as_default():
            initial = tf.placeholder_with_default(value, None)
            v = tf.get_variable(
                "v",
                initializer=initial,
                validate_shape=False,
                use_resource=use_resource,
            )
            saver = tf.train.Saver()
            with tf.Session() as session:
                if len(value) == 1:
                    saver.restore(session, path)
                    assert session.run(v).tolist() == [1, 2]
                session.run(v.initializer)
                saver.save(session, path)


def test_a_data_file_that_is_missing_is_what_is_named(tmp_path):
    path = str(tmp_path / "m")
    with tf.Graph().as_default():
        tf.Variable(1.0, name="v")
        saver = tf.train.Saver()
        with _session() as session:
            saver.save(session, path)
            (data,) = tmp_path.glob("m.data*")
            data.unlink()
            with pytest.raises(tf.errors.NotFoundError) as caught:
                saver.restore(session, path)
    message = caught.value.message
    assert f"{data} is missing, a data file" in message
    assert "names and shapes" not in message


@pytest.mark.parametrize("version", [V1, V2])
def test_parts_are_saved_as_one_and_cut_anew(version, tmp_path):
    path = str(tmp_path / "m")
    whole = np.arange(15, dtype=np.float32).reshape(5, 3)
    for parts in (2, 3, None):
        with tf.Graph().as_default():
            cut = tf.fixed_size_partitioner(parts) if parts else None
            with tf.variable_scope("net", partitioner=cut):
                v = tf.get_variable("v", [5, 3], initializer=tf.zeros_initializer())
            saver = tf.train.Saver(write_version=version)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                if parts == 2:
                    for part in v:
                        rows = part._get_save_slice_info().var_offset[0]
                        size = part.get_shape().as_list()[0]
                        session.run(part.assign(whole[rows : rows + size]))
                    saver.save(session, path)
                else:
                    saver.restore(session, path)
                np.testing.assert_array_equal(
                    session.run(tf.convert_to_tensor(v)), whole
                )
    assert tf.train.list_variables(path) == [("net/v", [5, 3])]


class _Doubled(saver_lib.BaseSaverBuilder.SaveableObject):
    """Saves a variable times two, and says so when it is restored."""

    def __init__(self, variable, name):
        spec = saver_lib.BaseSaverBuilder.SaveSpec(variable * 2, "", name + "/doubled")
        super().__init__(variable, [spec], name)

    def restore(self, restored_tensors, restored_shapes):
        return tf.assign(self.op, restored_tensors[0] / 2 + 100)


def test_programs_say_how_their_state_is_saved(tmp_path):
    with tf.Graph().as_default():
        v = tf.Variable(7.0, collections=["mine"], name="v")
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, _Doubled(v, "v"))
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(v.initializer)
            saver.save(session, str(tmp_path / "m"))
            assert tf.train.load_variable(str(tmp_path / "m"), "v/doubled") == 14
            saver.restore(session, str(tmp_path / "m"))
            assert session.run(v) == 107


def test_a_saver_def_makes_the_saver_again(tmp_path):
    path = str(tmp_path / "m")
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        saver_def = tf.train.Saver(name="mine", max_to_keep=3).to_proto()
        assert saver_def.save_tensor_name.startswith("mine/")
        saver = tf.train.Saver.from_proto(saver_def)
        assert saver.as_saver_def().max_to_keep == 3
        with _session() as session:
            saver.save(session, path)
            session.run(v.assign(2.0))
            saver.restore(session, path)
            assert session.run(v) == 1
        with pytest.raises(ValueError):
            tf.train.Saver(saver_def=saver_pb2.SaverDef())


def test_checkpoints_in_memory():
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        tf.gfile.MakeDirs("ram://saver")
        saver = tf.train.Saver(max_to_keep=1)
        with _session() as session:
            for i in range(2):
                saver.save(session, "ram://saver/m", i)
            latest = tf.train.latest_checkpoint("ram://saver")
            assert latest == "ram://saver/m-1"
            session.run(v.assign(2.0))
            saver.restore(session, latest)
            assert session.run(v) == 1
        assert not tf.train.checkpoint_exists("ram://saver/m-0")
        tf.gfile.DeleteRecursively("ram://saver")


def test_meta_graphs_bring_the_graph_back(tmp_path):
    path = str(tmp_path / "m")
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            x = tf.placeholder(tf.float32, [None, 2], name="x")
            v = tf.get_variable("v", initializer=[[1.0], [2.0]])
        tf.add_to_collection("outputs", tf.matmul(x, v, name="y"))
        tf.add_to_collection("numbers", 7)
        tf.add_to_collection("words", "seven")
        with _session() as session:
            tf.train.Saver().save(session, path)
    for scope in (None, "there"):
        with tf.Graph().as_default() as graph:
            saver = tf.train.import_meta_graph(
                path + ".meta", clear_devices=True, import_scope=scope
            )
            (y,) = tf.get_collection("outputs")
            assert y.name == ("y:0" if scope is None else "there/y:0")
            assert tf.get_collection("numbers") == [7]
            assert tf.get_collection("words") == [b"seven"]
            # Both collections hold one object.
            assert tf.global_variables()[0] is tf.trainable_variables()[0]
            assert y.op.device == ""
            with tf.Session() as session:
                saver.restore(session, path)
                x = graph.get_tensor_by_name("x:0" if scope is None else "there/x:0")
                np.testing.assert_array_equal(session.run(y, {x: [[10, 1]]}), [[12]])


def test_a_scope_is_exported_and_bound_again():
    with tf.Graph().as_default():
        x = tf.constant(3.0, name="x")
        with tf.variable_scope("inner"):
            v = tf.get_variable("v", initializer=2.0)
            tf.multiply(v, x, name="y")
        meta, variables = meta_graph.export_scoped_meta_graph(export_scope="inner")
        assert set(variables) == {"v"}
        assert {n.name for n in meta.graph_def.node} >= {"v", "y"}
        assert not any(n.name.startswith("inner") for n in meta.graph_def.node)
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="unbound"):
            meta_graph.import_scoped_meta_graph(meta)
        other = tf.constant(5.0, name="other")
        found = meta_graph.import_scoped_meta_graph(
            meta, import_scope="new", input_map={"$unbound_inputs_x": other}
        )
        assert set(found) == {"v"}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(graph.get_tensor_by_name("new/y:0")) == 10


def test_a_meta_graph_lists_ops_and_leaves_out_defaults():
    with tf.Graph().as_default():
        tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), name="product")
        meta = tf.train.export_meta_graph(strip_default_attrs=True)
        names = [op.name for op in meta.meta_info_def.stripped_op_list.op]
        assert "MatMul" in names and names == sorted(names)
        (node,) = [n for n in meta.graph_def.node if n.name == "product"]
        assert "transpose_a" not in node.attr
        with tf.Graph().as_default() as graph:
            assert tf.train.import_meta_graph(meta) is None
            with tf.Session() as session:
                got = session.run(graph.get_tensor_by_name("product:0"))
            np.testing.assert_array_equal(got, [[2, 2], [2, 2]])


# Files may have 60,000 bytes: of two shards, or of two checkpoints, the second is too large.
_FULL_DISK = """
import os, resource, signal, sys
import tensorwright as tf
folder, sharded, version = sys.argv[1], sys.argv[2] == "True", int(sys.argv[3])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with tf.device("/cpu:0"):
    small = tf.Variable(tf.ones([100]), name="small")
with tf.device("/cpu:1" if sharded else "/cpu:0"):
    large = tf.Variable(tf.ones([20000]), name="large")
saver = tf.train.Saver(sharded=sharded, write_version=version)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    saver.save(session, folder + "/model", 1)
    before = sorted(os.listdir(folder))
    resource.setrlimit(resource.RLIMIT_FSIZE, (60000, resource.RLIM_INFINITY))
    for step in (2, 3):
        try:
            saver.save(session, folder + "/model", step)
            raise SystemExit("it was saved")
        except tf.errors.OpError as error:
            assert f"model-{step}" in error.message, error
    assert sorted(os.listdir(folder)) == before, os.listdir(folder)
    latest = tf.train.latest_checkpoint(folder)
    assert latest.startswith(folder + "/model-1"), latest
    saver.restore(session, latest)
"""


@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("version", [1, 2])
def test_what_cannot_be_written_leaves_nothing(sharded, version, tmp_path):
    arguments = [str(tmp_path), str(sharded), str(version)]
    subprocess.run([sys.executable, "-c", _FULL_DISK, *arguments], check=True)


def test_a_list_of_checkpoints_that_cannot_be_written_stays(tmp_path, monkeypatch):
    with tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        saver = tf.train.Saver()
        saver.save(session, str(tmp_path / "model"), 1)
        before = (tmp_path / "checkpoint").read_bytes()

        def no_space(name, contents):
            (tmp_path / name).write_bytes(b"half of it")
            raise tf.errors.ResourceExhaustedError(None, None, "disk full")

        monkeypatch.setattr(file_io, "write_string_to_file", no_space)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            saver.save(session, str(tmp_path / "model"), 2)
    assert (tmp_path / "checkpoint").read_bytes() == before
    assert not list(tmp_path.glob("checkpoint.*"))
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model-1")


def test_a_meta_graph_without_variables_has_no_saver(tmp_path):
    path = str(tmp_path / "graph.meta")
    with tf.Graph().as_default():
        held = tf.get_variable("held", [], collections=["elsewhere"])
        tf.add_to_collection("elsewhere", held + 1.0)
        tf.get_variable("local", [], collections=[tf.GraphKeys.LOCAL_VARIABLES])
        tf.train.export_meta_graph(path)
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(path) is None
        assert len(tf.get_collection("elsewhere")) == 2
