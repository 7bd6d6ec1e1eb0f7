# SPDX-License-Identifier: Apache-2.0
"""Loading a SavedModel as an object with functions and variables, into the default graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import graph_pb2, variable_pb2
from tensorwright.python.framework import (
    constant_op,
    dtypes,
    graph_util,
    importer,
    meta_graph,
    op_def_registry,
    ops,
    sparse_tensor,
    tensor_shape,
    tensor_spec,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import Fetches
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import control_flow_ops, variables
from tensorwright.python.ops.resource_variable_ops import read_variable_op
from tensorwright.python.saved_model import constants, loader
from tensorwright.python.training import checkpoint_management
from tensorwright.python.util import compat, nest

if TYPE_CHECKING:
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef, SignatureDef

# The collections of variables; of the other collections none is taken over.
_VARIABLES = (
    ops.GraphKeys.GLOBAL_VARIABLES,
    ops.GraphKeys.TRAINABLE_VARIABLES,
    ops.GraphKeys.LOCAL_VARIABLES,
    ops.GraphKeys.MODEL_VARIABLES,
)


def load(
    export_dir: str | os.PathLike,
    tags: str | Iterable[str] | None = None,
    options: object = None,
) -> LoadedModel:
    """Loads a SavedModel of either version into the default graph.

        model = tf.saved_model.load_v2("/models/1")
        y = model.signatures["serving_default"](x=images)["y"]
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            session.run(y)

    The initializers of its variables give them the saved values, and those of its tables read its own assets. Each
    call of a signature adds the nodes from inputs to outputs to the graph, around the same variables and tables:
    gradients flow through it.

    Args:
      export_dir: the folder.
      tags: those of the graph; not needed where there is one.
      options: none changes what a graph loads; taken for programs that give some.

    Raises:
      OSError: the folder has no SavedModel that can be read.
      ValueError: it has several graphs, and `tags` does not say which, or none with these; or the graph, or a signature,
        is not valid.
      KeyError: a collection or signature names what is not in the graph.
    """
    del options
    folder = compat.as_str(os.fspath(export_dir))
    return LoadedModel(_chosen(loader.parse_saved_model(folder), tags, folder), folder)


def _chosen(saved_model: Any, tags: str | Iterable[str] | None, folder: str) -> Any:
    graphs = list(saved_model.meta_graphs)
    if tags is None:
        if len(graphs) == 1:
            return graphs[0]
        there = [sorted(meta.meta_info_def.tags) for meta in graphs]
        raise ValueError(
            f"The SavedModel of {folder} has {len(graphs)} graphs, so a tags= argument is needed: {there}"
        )
    wanted = {tags} if isinstance(tags, str) else set(tags)
    for meta in graphs:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    there = [sorted(meta.meta_info_def.tags) for meta in graphs]
    raise ValueError(
        f"The SavedModel of {folder} has no graph with the tags {sorted(wanted)}, but {there}"
    )


class LoadedModel:
    """A SavedModel in a graph.

    Attributes:
      signatures: key -> `SignatureFunction`.
      variables, trainable_variables: for the model.
      initializer: the operation that gives variables their saved values and sets up tables.
      asset_paths: the files that came along, as tensors.
      graph: the graph it is in.
      tensorflow_version, tensorflow_git_version: the versions of the library that saved it.
    """

    def __init__(self, meta: MetaGraphDef, folder: str):
        self._meta = meta
        self.graph = ops.get_default_graph()
        self.tensorflow_version = meta.meta_info_def.tensorflow_version
        self.tensorflow_git_version = meta.meta_info_def.tensorflow_git_version
        with ops.name_scope("saved_model") as scope:
            self._scope = scope.removesuffix("/")
        # The files have a scope of their own, as the names in the other one are the model's.
        with ops.name_scope("saved_model_files"):
            assets = {
                name: constant_op.constant(path, name="asset")
                for name, path in loader._asset_feeds(meta, folder, None).items()
            }
            variables_path = constant_op.constant(
                file_io.join(
                    folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME
                ),
                name="variables",
            )
        self._import(assets, variables_path)
        self.asset_paths = list(assets.values())
        self._take_variables()
        self._take_init_ops()
        self.signatures: Mapping[str, SignatureFunction] = {
            key: SignatureFunction(self, key, signature)
            for key, signature in sorted(meta.signature_def.items())
            if not key.startswith("__saved_model")
        }

    def _find(self, name: str) -> Any:
        return self.graph.as_graph_element(ops.prepend_name_scope(name, self._scope))

    def _import(self, assets: dict[str, ops.Tensor], path: ops.Tensor) -> None:
        """Adds the nodes, with files that are where they are now."""
        input_map = dict(assets)
        saver = self._meta.saver_def
        exists = checkpoint_management.checkpoint_exists(
            compat.as_str(tensor_util.constant_value(path).item())
        )
        if saver.restore_op_name and exists:
            input_map[saver.filename_tensor_name] = path
        importer.import_graph_def(
            self._meta.graph_def, input_map=input_map, name=self._scope + "/"
        )
        self._restore_op = None
        if saver.restore_op_name and exists:
            restore = self._find(saver.restore_op_name)
            self._restore_op = getattr(restore, "op", restore)

    def _take_variables(self) -> None:
        """Makes variable objects of the nodes; they join the graph's collections."""
        made: dict[str, variables.Variable] = {}
        for key in _VARIABLES:
            if key not in self._meta.collection_def:
                continue
            for data in self._meta.collection_def[key].bytes_list.value:
                proto = meta_graph.collection_item(key, variable_pb2.VariableDef, data)
                if proto.variable_name not in made:
                    made[proto.variable_name] = variables.Variable.from_proto(
                        proto, import_scope=self._scope
                    )
                self.graph.add_to_collection(key, made[proto.variable_name])
        if not made and self._restore_op is not None:
            made = self._variables_of_handles()
        self.variables = list(made.values())
        self.trainable_variables = [v for v in self.variables if v.trainable]
        local = set(self.graph.get_collection(ops.GraphKeys.LOCAL_VARIABLES))
        for variable in self.variables:
            if self._restore_op is not None and variable not in local:
                variable._initializer_op = self._restore_op

    def _variables_of_handles(self) -> dict[str, variables.Variable]:
        """Returns the variables of a graph that TensorFlow 2 wrote, which has no collections."""
        assert self._restore_op is not None
        made = {}
        for node in self._meta.graph_def.node:
            if node.op != "VarHandleOp":
                continue
            handle = self._find(f"{node.name}:0")
            with ops.name_scope(handle.op.name + "/"):
                value = read_variable_op(handle, handle.op.get_attr("dtype"))
            value.set_shape(tensor_shape.as_shape(handle.op.get_attr("shape")))
            proto = variable_pb2.VariableDef(
                variable_name=handle.name,
                initializer_name=self._restore_op.name,
                snapshot_name=value.name,
                is_resource=True,
                trainable=True,
            )
            made[node.name] = variables.Variable.from_proto(proto)
            self.graph.add_to_collection(
                ops.GraphKeys.GLOBAL_VARIABLES, made[node.name]
            )
            self.graph.add_to_collection(
                ops.GraphKeys.TRAINABLE_VARIABLES, made[node.name]
            )
        return made

    def _take_init_ops(self) -> None:
        """Adds the operation that sets up tables to the collection of tf.tables_initializer."""
        with ops.name_scope(self._scope + "/"):
            found = loader._init_op(self.graph, self._meta, self._scope)
            inits = [found] if found is not None else []
            key = ops.GraphKeys.TABLE_INITIALIZERS
            if not inits and key in self._meta.collection_def:
                names = self._meta.collection_def[key].node_list.value
                inits = [self._find(name) for name in names]
            for op in inits:
                self.graph.add_to_collection(key, op)
            first = [self._restore_op] if self._restore_op is not None else []
            with ops.control_dependencies(first):
                self.initializer = control_flow_ops.group(
                    *first, *inits, name="initializer"
                )

    def prune(
        self, feeds: Fetches, fetches: Fetches, name: str | None = None
    ) -> Callable:
        """Makes a function from tensors of the model to others.

        Args:
            feeds: names of tensors in the SavedModel's graph, in any structure.
            fetches: names of the results, in any structure.
            name: the scope of the operations that a call adds.

        Returns:
            A function of as many tensors as `feeds` has names; it returns tensors in the structure of `fetches`.

        Raises ValueError in a call, for names that the graph does not have.
        """
        fed = [getattr(f, "name", f) for f in nest.flatten(feeds)]
        fetched = [getattr(f, "name", f) for f in nest.flatten(fetches)]

        def pruned(*args: Any) -> Any:
            if len(args) != len(fed):
                raise TypeError(f"{len(fed)} tensors are needed, got {len(args)}")
            got = self._call(dict(zip(fed, args, strict=True)), fetched, name)
            return nest.pack_sequence_as(fetches, got)

        return pruned

    def _call(
        self, feeds: dict[str, Any], fetches: list[str], name: str | None
    ) -> list[ops.Tensor]:
        """Adds the nodes between tensors of the SavedModel to the graph, around the model's variables."""
        if ops.get_default_graph() is not self.graph:
            raise ValueError(
                "A loaded SavedModel can be called in the graph it was loaded into alone"
            )
        # A name may be that of a node: its first output.
        fed = {_tensor_name(name): value for name, value in feeds.items()}
        wanted = [_tensor_name(name) for name in fetches]
        graph_def, state = _between(self._meta.graph_def, fed, wanted)
        replaced = {
            n: ops.convert_to_tensor(value, self._find(n).dtype.base_dtype)
            for n, value in fed.items()
        }
        for node in state:
            op = self._find(node)
            replaced[f"^{node}"] = op
            replaced |= {f"{node}:{o.value_index}": o for o in op.outputs}
        used = {name for node in graph_def.node for name in _inputs_of(node)}
        computed = [name for name in wanted if name not in replaced]
        made = importer.import_graph_def(
            graph_def,
            input_map={n: t for n, t in replaced.items() if n in used},
            return_elements=computed,
            name=name or "call",
        )
        found = replaced | dict(zip(computed, made, strict=True))
        return [found[name] for name in wanted]


def _tensor_name(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _inputs_of(node: Any) -> list[str]:
    """The inputs of a node, tensors with their index."""
    return [n if n.startswith("^") else _tensor_name(n) for n in node.input]


def _between(
    graph_def: Any, feeds: Iterable[str], fetches: list[str]
) -> tuple[Any, list[str]]:
    """The nodes that lead from feeds to fetches, without those of state, as variables and tables; the names of these."""
    cut = graph_pb2.GraphDef()
    cut.CopyFrom(graph_def)
    fed = {name.split(":")[0] for name in feeds if name.endswith(":0")}
    for node in cut.node:
        if node.name in fed:
            del node.input[:]  # The inputs of the node are not needed.
    names = {node.name for node in cut.node}
    for name in (*feeds, *fetches):
        if name.split(":")[0] not in names:
            raise ValueError(f"The SavedModel has no tensor {name}")
    cut = graph_util.extract_sub_graph(cut, [n.split(":")[0] for n in fetches])
    state = [node.name for node in cut.node if _is_state(node)]
    left = graph_pb2.GraphDef(versions=cut.versions, library=cut.library)
    for node in cut.node:
        if node.name in fed or node.name in state:
            continue
        made = left.node.add()
        made.CopyFrom(node)
        if "_class" in made.attr:
            # A node must not be placed beside a removed one.
            places = list(made.attr["_class"].list.s)
            kept = [p for p in places if p.removeprefix(b"loc:@").decode() not in state]
            made.attr["_class"].list.s[:] = kept
    return left, state


def _is_state(node: Any) -> bool:
    """Whether a node gives a variable, a table or another thing that lives on between runs."""
    if any(not name.startswith("^") for name in node.input):
        return False
    op_def = op_def_registry.get(node.op)
    if op_def is None:
        return False
    return any(
        arg.is_ref or dtypes.as_dtype(arg.type or dtypes.float32) == dtypes.resource
        for arg in op_def.output_arg
    )


class SignatureFunction:
    """A signature of a loaded SavedModel: takes its inputs by key, gives its outputs by key.

    An input with a default value need not be given; where there is one input it may be given without its key.
    """

    def __init__(self, model: LoadedModel, key: str, signature: SignatureDef):
        self._model = model
        self._signature = signature
        self.name = key
        try:
            self.structured_input_signature = ((), _specs(signature.inputs))
            self.structured_outputs = _specs(signature.outputs)
        except TypeError as error:
            raise ValueError(f"signature {key!r} is not valid: {error}") from error

    def __call__(self, *args: object, **kwargs: object) -> dict[str, Any]:
        """The outputs by key, as tensors of the default graph.

        Raises:
          TypeError: inputs that the signature does not have, or of another dtype, or one of them is missing.
          ValueError: an input of another shape, or a graph that does not lead from these inputs to the outputs.
          KeyError: the signature names a tensor that is not in the graph.
        """
        inputs = self._signature.inputs
        if args and (len(args) > 1 or len(inputs) > 1 or kwargs):
            raise TypeError(
                f"signature {self.name!r} takes its inputs by key: {sorted(inputs)}"
            )
        if len(args) == 1:
            if not inputs:
                raise TypeError(f"signature {self.name!r} takes no inputs, got one")
            kwargs = {next(iter(inputs)): args[0]}
        feeds: dict[str, Any] = {}
        for key, info in sorted(inputs.items()):
            value = kwargs.pop(key, None)
            if value is None:
                if key not in self._signature.defaults:
                    raise TypeError(f"signature {self.name!r} lacks its input {key!r}")
                value = tensor_util.MakeNdarray(self._signature.defaults[key])
            feeds |= _fed(key, info, value)
        if kwargs:
            raise TypeError(
                f"signature {self.name!r} has no input {sorted(kwargs)}; it has {sorted(inputs)}"
            )
        outputs = {k: _tensors(i) for k, i in sorted(self._signature.outputs.items())}
        names = [name for of_key in outputs.values() for name in of_key]
        found = iter(self._model._call(feeds, names, f"signature_{self.name}"))
        return {key: _packed([next(found) for _ in of]) for key, of in outputs.items()}

    @property
    def inputs(self) -> dict[str, tensor_spec.TensorSpec]:
        """Key -> `TensorSpec`."""
        return self.structured_input_signature[1]


def _specs(infos: Any) -> dict[str, tensor_spec.TensorSpec]:
    return {
        key: tensor_spec.TensorSpec(
            tensor_shape.as_shape(info.tensor_shape), dtypes.as_dtype(info.dtype), key
        )
        for key, info in sorted(infos.items())
    }


def _tensors(info: Any) -> list[str]:
    """The tensors behind a `TensorInfo`: one, or the three of a sparse tensor."""
    if info.WhichOneof("encoding") == "coo_sparse":
        sparse = info.coo_sparse
        return [
            sparse.indices_tensor_name,
            sparse.values_tensor_name,
            sparse.dense_shape_tensor_name,
        ]
    return [info.name]


def _packed(tensors: list[ops.Tensor]) -> Any:
    return tensors[0] if len(tensors) == 1 else sparse_tensor.SparseTensor(*tensors)


def _fed(key: str, info: Any, value: Any) -> dict[str, ops.Tensor]:
    """Tensor of the SavedModel -> what takes its place, of the signature's dtype."""
    names = _tensors(info)
    dtype = dtypes.as_dtype(info.dtype)
    if len(names) == 1:
        tensor = ops.convert_to_tensor(value, dtype, name=key)
        if not tensor.shape.is_compatible_with(
            tensor_shape.as_shape(info.tensor_shape)
        ):
            raise ValueError(
                f"input {key!r} needs the shape {tensor_shape.as_shape(info.tensor_shape)}, got {tensor.shape}"
            )
        return {names[0]: tensor}
    sparse = sparse_tensor.convert_to_tensor_or_sparse_tensor(value, dtype)
    if not isinstance(sparse, sparse_tensor.SparseTensor):
        raise TypeError(f"input {key!r} needs a SparseTensor, got {value!r}")
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    return dict(zip(names, parts, strict=True))
