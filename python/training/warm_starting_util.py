# SPDX-License-Identifier: Apache-2.0
"""Starting a model from the variables of another one, whose vocabularies may have differed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.ops import checkpoint_ops, variable_scope, variables
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import checkpoint_utils

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


class _VocabInfo(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Callable[..., Any] | None = None
    axis: int = 0


class VocabInfo(_VocabInfo):
    """The vocabularies of a variable, now and when it was saved, for `tf.train.warm_start`.

    Fields:
        new_vocab: a file of words, a line each, for the model at hand.
        new_vocab_size: how many lines count.
        num_oov_buckets: how many rows, or columns, are for other words.
        old_vocab: the file of the model that was saved.
        old_vocab_size: how many of its lines count; -1: all.
        backup_initializer: `f(shape)`, for words that are new; None: zeros.
        axis: 0: rows are words, of an embedding; 1: columns are, of a layer that predicts words.

    Example:
        words = tf.train.VocabInfo("new.txt", 100, num_oov_buckets=1, old_vocab="old.txt")
        tf.train.warm_start("/tmp/model", var_name_to_vocab_info={"input_layer/word_embedding/embedding_weights": words})
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> VocabInfo:
        """ValueError for another axis."""
        made = super().__new__(cls, *args, **kwargs)
        if made.axis not in (0, 1):
            raise ValueError(
                "The only supported values for the axis argument are 0 and 1. "
                f"Provided axis: {made.axis}"
            )
        return made


def warm_start(
    ckpt_to_initialize_from: PathLike,
    vars_to_warm_start: str
    | Sequence[str | Variable | Sequence[Variable]]
    | None = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Makes the initializers of variables read a checkpoint.

    Args:
        ckpt_to_initialize_from: the checkpoint, or a folder whose latest is taken.
        vars_to_warm_start: a regular expression: trained variables whose name begins with a match; a list of them:
            all variables, trained or not; a list of variables; None: those of `var_name_to_vocab_info` alone.
        var_name_to_vocab_info: the vocabularies of variables, by name; a variable in parts has one name.
        var_name_to_prev_var_name: the name in the checkpoint of variables that had another.

    Raises:
        ValueError: a variable is missing in the checkpoint or has another shape, a name of the mappings is of no
            variable that is started, vocabularies are incomplete, or variables are given in another way.
    """
    infos = dict(var_name_to_vocab_info or {})
    previous = dict(var_name_to_prev_var_name or {})
    path = checkpoint_utils.checkpoint_path(ckpt_to_initialize_from)
    if path is None:
        raise ValueError(f"There is no checkpoint in {ckpt_to_initialize_from}")
    logging.info("Warm-starting from: %s", path)
    groups = _by_name(_chosen(vars_to_warm_start))
    plain = {}
    for name, parts in groups.items():
        saved = previous.get(name) or name
        if name in infos:
            _start_words(parts, saved, path, infos[name])
        elif vars_to_warm_start is not None:
            plain[saved] = parts if len(parts) > 1 else parts[0]
    if plain:
        checkpoint_utils.init_from_checkpoint(path, plain)
    for what, given in (
        ("var_name_to_prev_var_name", previous),
        ("var_name_to_vocab_info", infos),
    ):
        unused = sorted(set(given) - set(groups))
        if unused:
            raise ValueError(
                f"You provided the following variables in {what} that were not used: "
                f"{unused}.  Are they misspelled?  Viable names are {sorted(groups)}"
            )


def _chosen(wanted: Any) -> list[Any]:
    if wanted is None or isinstance(wanted, str):
        return ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES, scope=wanted)
    if not isinstance(wanted, (list, tuple)):
        raise ValueError(
            f"vars_to_warm_start must be a `list` or `str`. Given type is {type(wanted)}"
        )
    if all(isinstance(item, str) for item in wanted):
        found: list[Any] = []
        for scope in wanted:
            for v in ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope=scope):
                if not any(v is f for f in found):
                    found.append(v)
        return found
    kinds = (variables.Variable, variables.PartitionedVariable)
    if all(isinstance(item, kinds) for item in wanted):
        return list(wanted)
    raise ValueError(
        "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`. "
        f"Given types are {[type(item) for item in wanted]}"
    )


def _by_name(chosen: list[Any]) -> dict[str, list[Any]]:
    """The variables, each by its name: a list of one, or of all its parts in order."""
    groups: dict[str, list[Any]] = {}
    for variable in chosen:
        is_cut = isinstance(variable, variables.PartitionedVariable)
        for part in list(variable) if is_cut else [variable]:
            name = part.op.name
            if part._get_save_slice_info() is not None:
                name = re.sub(r"/part_\d+$", "", name)
            groups.setdefault(name, []).append(part)
    for parts in groups.values():
        if len(parts) > 1:
            parts.sort(key=lambda p: tuple(p._get_save_slice_info().var_offset))
    return groups


def _start_words(parts: list[Any], saved: str, path: str, info: VocabInfo) -> None:
    """Loads rows or columns of words that both vocabularies have."""
    if not (info.new_vocab and info.new_vocab_size and info.old_vocab):
        raise ValueError(
            "Invalid args: Must provide all of new_vocab, new_vocab_size and old_vocab, "
            f"got {info}"
        )
    shape = parts[0].get_shape().as_list()
    if len(shape) != 2:
        raise ValueError(
            f"{parts[0].name} must be a matrix to have a vocabulary, its shape is {shape}"
        )
    files: dict[str, Any] = {"old": info.old_vocab, "new": info.new_vocab}
    sizes: dict[str, Any]
    if info.axis == 0:
        sizes = {
            "new_row_vocab_size": info.new_vocab_size,
            "new_col_vocab_size": shape[1],
            "old_row_vocab_size": info.old_vocab_size,
            "num_row_oov_buckets": info.num_oov_buckets,
        }
        files = {f"{age}_row_vocab_file": file for age, file in files.items()}
    else:
        # Each part holds some rows; together the parts hold all rows.
        sizes = {
            "new_row_vocab_size": sum(p.get_shape().as_list()[0] for p in parts),
            "new_col_vocab_size": info.new_vocab_size,
            "num_col_oov_buckets": info.num_oov_buckets,
        }
        files = {f"{age}_col_vocab_file": file for age, file in files.items()}
    load = checkpoint_ops.load_and_remap_matrix_initializer(
        path, saved, initializer=info.backup_initializer, **sizes, **files
    )
    for part in parts:
        cut = part._get_save_slice_info()
        where = None
        if cut is not None:
            where = variable_scope._PartitionInfo(cut.full_shape, cut.var_offset)
        with ops.device(part.device):
            value = load(part.get_shape().as_list(), partition_info=where)
        checkpoint_utils.set_initial_value(part, ops.convert_to_tensor(value))
