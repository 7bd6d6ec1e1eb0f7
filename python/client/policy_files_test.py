# SPDX-License-Identifier: Apache-2.0
"""Policies of sessions: which files they reach, and tf.Policy itself."""

import os

import pytest

import tensorwright as tf

DENIED = tf.errors.PermissionDeniedError


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def folders(tmp_path):
    """A folder that may be read, and one that may not; each has a file."""
    for name in ("open", "open2", "shut"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(f"{name}\n")
    (tmp_path / "open" / "link").symlink_to(tmp_path / "shut")
    (tmp_path / "shut" / "back").symlink_to(tmp_path / "open")
    return tmp_path


def _reading(folders, **more):
    return tf.Policy.sandbox(read=[folders / "open"], **more)


def test_files_are_read_in_their_folder_alone(graph, folders, monkeypatch):
    path = tf.placeholder(tf.string, [])
    read = tf.read_file(path, name="read")
    monkeypatch.chdir(folders / "open")
    with tf.Session(policy=_reading(folders)) as session:
        for good in (
            folders / "open" / "file",
            f"file://{folders}/open/file",
            "file",
            "./../shut/../open/file",
            folders / "shut" / "back" / "file",
        ):
            assert session.run(read, {path: str(good)}) == b"open\n"
        for bad in (
            folders / "shut" / "file",
            folders / "open2" / "file",
            folders / "open" / ".." / "shut" / "file",
            folders / "open" / "none" / ".." / ".." / "shut" / "file",
            folders / "open" / "link" / "file",
            "../shut/file",
            "link/file",
            f"file://{folders}/shut/file",
            f"file://host{folders}/shut/file",
            f"/proc/self/root{folders}/shut/file",
            "/proc/self/cwd/../shut/file",
            "/etc/passwd",
            # Nor does the error say which files there are.
            folders / "shut" / "nothing",
            "ram://open/file",
        ):
            with pytest.raises(DENIED) as caught:
                session.run(read, {path: str(bad)})
            assert caught.value.op is read.op
            said = caught.value.message
            assert f"does not let the session read {bad}" in said
            assert f"its line is 'read: {folders}/open'" in said
        with pytest.raises(tf.errors.NotFoundError):
            session.run(read, {path: str(folders / "open" / "none")})
        with pytest.raises(tf.errors.InvalidArgumentError, match="zero byte"):
            session.run(read, {path: f"{folders}/open/\0/../../shut/file"})
        assert session.run(read, {path: "file"}) == b"open\n"


def test_a_resolved_path_is_told(graph, folders):
    with tf.Session(policy=_reading(folders)) as session:
        with pytest.raises(DENIED) as caught:
            session.run(tf.read_file(f"{folders}/open/link/file"))
    assert f"open/link/file ({folders}/shut/file): its line" in caught.value.message


def test_files_are_written_in_their_folder_alone(graph, folders):
    path = tf.placeholder(tf.string, [])
    write = tf.write_file(path, "new")
    read = tf.read_file(path)
    policy = tf.Policy.sandbox(write=[folders / "open"])
    with tf.Session(policy=policy) as session:
        session.run(write, {path: f"{folders}/open/sub/new"})
        assert (folders / "open" / "sub" / "new").read_text() == "new"
        for bad in ("shut/new", "open/link/new", "open/../new"):
            with pytest.raises(DENIED, match="does not let the session write"):
                session.run(write, {path: f"{folders}/{bad}"})
        with pytest.raises(DENIED, match="touches 'files read'"):
            session.run(read, {path: f"{folders}/open/file"})
    assert sorted(os.listdir(folders)) == ["open", "open2", "shut"]
    assert sorted(os.listdir(folders / "shut")) == ["back", "file"]


def test_other_kinds_of_files_have_folders_too(graph, folders):
    with tf.gfile.GFile("ram://models/1/a", "w") as file:
        file.write("in memory")
    path = tf.placeholder(tf.string, [])
    read = tf.read_file(path)
    with tf.Session(policy=tf.Policy.sandbox(read=["ram://models/1"])) as session:
        assert session.run(read, {path: "ram://models/1/a"}) == b"in memory"
        for bad in ("ram://models/a", "ram://models/1/../2/a", "/models/1/a"):
            with pytest.raises(DENIED):
                session.run(read, {path: bad})


def test_patterns_find_files_in_their_folder_alone(graph, folders):
    pattern = tf.placeholder(tf.string, [])
    found = tf.matching_files(pattern)
    with tf.Session(policy=_reading(folders)) as session:
        got = session.run(found, {pattern: f"{folders}/open/f*"})
        assert got.tolist() == [f"{folders}/open/file".encode()]
        for bad in (
            f"{folders}/*/file",
            f"{folders}/open/*/file",
            f"{folders}/open/l*/../../shut/file",
            f"{folders}/shut/file",
            "/et*/passwd",
        ):
            with pytest.raises(DENIED):
                session.run(found, {pattern: bad})


def test_datasets_read_within_the_folders_of_the_session(graph, folders):
    path = tf.placeholder(tf.string, [])
    for dataset in (
        tf.data.TextLineDataset(path),
        tf.data.TextLineDataset(path).prefetch(1),
        tf.data.Dataset.from_tensors(path).flat_map(tf.data.TextLineDataset),
        tf.data.Dataset.from_tensors(path).interleave(
            tf.data.TextLineDataset, cycle_length=2, num_parallel_calls=2
        ),
    ):
        iterator = tf.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        with tf.Session(policy=_reading(folders)) as session:
            session.run(iterator.initializer, {path: f"{folders}/open/file"})
            assert session.run(following) == b"open"
            session.run(iterator.initializer, {path: f"{folders}/shut/file"})
            with pytest.raises(DENIED, match="does not let the session read"):
                session.run(following)


@pytest.mark.parametrize("make", [tf.data.TFRecordDataset, tf.data.FixedLengthRecordDataset])  # fmt: skip
def test_datasets_of_records_read_there_too(graph, folders, make):
    more = [2] if make is tf.data.FixedLengthRecordDataset else []
    made = make(f"{folders}/shut/file", *more)
    following = tf.data.make_one_shot_iterator(made).get_next()
    with tf.Session(policy=_reading(folders)) as session:
        with pytest.raises(DENIED):
            session.run(following)


def test_datasets_that_keep_their_elements_write_there_alone(graph, folders):
    def kept(folder, keep):
        elements = tf.data.Dataset.range(2)
        return tf.data.make_one_shot_iterator(keep(elements, folder)).get_next()

    policy = tf.Policy.sandbox(read=[folders / "open"], write=[folders / "open"])
    for keep in (
        lambda d, folder: d.cache(f"{folder}/cache"),
        lambda d, folder: d.snapshot(f"{folder}/snap"),
    ):
        with tf.Session(policy=policy) as session:
            assert session.run(kept(folders / "open", keep)) == 0
            with pytest.raises(DENIED):
                session.run(kept(folders / "shut", keep))
    assert sorted(os.listdir(folders / "shut")) == ["back", "file"]


def test_readers_tables_and_constants_read_there_too(graph, folders):
    secret = f"{folders}/shut/file"
    queue = tf.FIFOQueue(9, tf.string)
    filled = queue.enqueue_many([[secret] * 9])
    table = tf.contrib.lookup.index_table_from_file(secret, num_oov_buckets=1)
    mapped = tf.raw_ops.ImmutableConst(
        dtype=tf.uint8, shape=[4], memory_region_name=secret
    )
    sampler = tf.nn.fixed_unigram_candidate_sampler(
        [[0]], 1, 1, True, 2, vocab_file=secret
    )
    readers = [
        r().read(queue)
        for r in (tf.TextLineReader, tf.WholeFileReader, tf.TFRecordReader)
    ]
    readers.append(tf.FixedLengthRecordReader(2).read(queue))
    readers.append(tf.LMDBReader().read(queue))
    with tf.Session(policy=_reading(folders)) as session:
        session.run(filled)
        for reading in (*readers, table.init, tf.identity(mapped), sampler):
            with pytest.raises(DENIED, match="does not let the session read"):
                session.run(reading)


def test_checkpoints_are_kept_in_their_folder(graph, folders):
    v = tf.Variable(3.0)
    saver = tf.train.Saver()
    policy = tf.Policy.sandbox(read=[folders / "open"], write=[folders / "open"])
    with tf.Session(policy=policy) as session:
        session.run(v.initializer)
        saver.save(session, f"{folders}/open/model")
        saver.restore(session, f"{folders}/open/model")
        with pytest.raises(DENIED):
            session.run(
                saver.saver_def.save_tensor_name,
                {saver.saver_def.filename_tensor_name: f"{folders}/shut/model"},
            )
        with pytest.raises(DENIED):
            session.run(
                saver.saver_def.restore_op_name,
                {saver.saver_def.filename_tensor_name: f"{folders}/shut/model"},
            )


def test_prints_and_summaries_write_there_alone(graph, folders):
    policy = tf.Policy.sandbox(write=[folders / "open"])
    for name, is_good in (("open", True), ("shut", False)):
        printed = tf.print("hello", output_stream=f"file://{folders}/{name}/log")
        with tf.Session(policy=policy) as session:
            if is_good:
                session.run(printed)
                continue
            with pytest.raises(DENIED):
                session.run(printed)
    assert (folders / "open" / "log").read_text() == "hello\n"
    writer = tf.raw_ops.SummaryWriter()
    made = tf.raw_ops.CreateSummaryFileWriter(
        writer=writer,
        logdir=f"{folders}/shut/logs",
        max_queue=1,
        flush_millis=1,
        filename_suffix="",
    )
    with tf.Session(policy=policy) as session:
        with pytest.raises(DENIED):
            session.run(made)
    assert sorted(os.listdir(folders / "shut")) == ["back", "file"]


# ---- tf.Policy


def test_the_lines_of_a_policy():
    policy = tf.Policy(
        name="mine", deny=["network"], read=["/a", "/b"], max_nodes=5, max_run_seconds=1
    )
    assert str(policy).splitlines() == [
        "name: mine",
        "allow: everything",
        "deny: network",
        "read: /a, /b",
        "max_nodes: 5",
        "max_run_seconds: 1",
    ]
    assert policy == tf.Policy.from_proto(policy.to_proto())
    assert policy != tf.Policy() and hash(policy) == hash(
        tf.Policy.from_proto(policy.to_proto())
    )
    assert "allow: blocking, unbounded memory" in str(tf.Policy.sandbox())


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"allow": ["disk"]}, "allow has 'disk', which is no capability; there are files"),
        ({"deny": ["disk"]}, "deny has 'disk'"),
        ({"max_nodes": -1}, "max_nodes must be >= 0"),
        ({"max_run_seconds": float("nan")}, "max_run_seconds must be >= 0"),
        ({"read": ["/a"], "deny": ["files"]}, "'read' has /a, while 'deny' has 'files read'"),
        ({"allow_ops": ["Fill"], "deny_ops": ["Fill"]}, "allow_ops and deny_ops have Fill"),
    ],
)  # fmt: skip
def test_policies_that_make_no_sense(arguments, said):
    with pytest.raises(ValueError, match=said):
        tf.Policy(**arguments)


def test_arguments_of_the_wrong_kind(graph):
    with pytest.raises(TypeError, match="read must be a list of texts"):
        tf.Policy(read="/models")
    with pytest.raises(TypeError, match="policy must be a tf.Policy"):
        tf.Session(policy="sandbox")
    with pytest.raises(tf.errors.InvalidArgumentError, match="no capability"):
        config = tf.ConfigProto()
        config.policy.deny.append("disk")
        tf.Session(config=config)


def test_a_graph_is_checked_before_anything_is_run(graph, tmp_path):
    policy = tf.Policy.sandbox()
    tf.fill([2], 1)
    policy.check(graph)
    reading = tf.data.Dataset.range(2).map(lambda i: tf.read_file("secret"))
    tf.data.make_one_shot_iterator(reading)
    with pytest.raises(DENIED, match="of function .*ReadFile|ReadFile.* of function"):
        policy.check(graph.as_graph_def())
    with tf.Graph().as_default() as other:
        tf.write_file("a", "b", name="write")
    with pytest.raises(DENIED, match="Node 'write' \\(WriteFile\\)"):
        policy.check(other)
    unknown = tf.GraphDef()
    unknown.node.add(name="n", op="NobodyKnows")
    with pytest.raises(tf.errors.NotFoundError, match="NobodyKnows"):
        policy.check(unknown)
