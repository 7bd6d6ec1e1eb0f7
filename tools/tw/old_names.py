# SPDX-License-Identifier: Apache-2.0
"""The old spellings of TensorFlow 0.x: names, arguments, and the order of arguments."""

from __future__ import annotations

import ast

# Name before 1.0 -> name since.
RENAMED = {
    "tf.all_variables": "tf.global_variables",
    "tf.audio_summary": "tf.summary.audio",
    "tf.batch_cholesky": "tf.cholesky",
    "tf.batch_cholesky_solve": "tf.cholesky_solve",
    "tf.batch_fft": "tf.fft",
    "tf.batch_fft2d": "tf.fft2d",
    "tf.batch_fft3d": "tf.fft3d",
    "tf.batch_ifft": "tf.ifft",
    "tf.batch_ifft2d": "tf.ifft2d",
    "tf.batch_ifft3d": "tf.ifft3d",
    "tf.batch_matmul": "tf.matmul",
    "tf.batch_matrix_band_part": "tf.matrix_band_part",
    "tf.batch_matrix_determinant": "tf.matrix_determinant",
    "tf.batch_matrix_diag": "tf.matrix_diag",
    "tf.batch_matrix_diag_part": "tf.matrix_diag_part",
    "tf.batch_matrix_inverse": "tf.matrix_inverse",
    "tf.batch_matrix_set_diag": "tf.matrix_set_diag",
    "tf.batch_matrix_solve": "tf.matrix_solve",
    "tf.batch_matrix_solve_ls": "tf.matrix_solve_ls",
    "tf.batch_matrix_transpose": "tf.matrix_transpose",
    "tf.batch_matrix_triangular_solve": "tf.matrix_triangular_solve",
    "tf.batch_self_adjoint_eig": "tf.self_adjoint_eig",
    "tf.batch_self_adjoint_eigvals": "tf.self_adjoint_eigvals",
    "tf.batch_svd": "tf.svd",
    "tf.complex_abs": "tf.abs",
    "tf.histogram_summary": "tf.summary.histogram",
    "tf.image.per_image_whitening": "tf.image.per_image_standardization",
    "tf.image_summary": "tf.summary.image",
    "tf.initialize_all_tables": "tf.tables_initializer",
    "tf.initialize_all_variables": "tf.global_variables_initializer",
    "tf.initialize_local_variables": "tf.local_variables_initializer",
    "tf.initialize_variables": "tf.variables_initializer",
    "tf.inv": "tf.reciprocal",
    "tf.listdiff": "tf.setdiff1d",
    "tf.merge_all_summaries": "tf.summary.merge_all",
    "tf.merge_summary": "tf.summary.merge",
    "tf.mul": "tf.multiply",
    "tf.neg": "tf.negative",
    "tf.nn.bidirectional_rnn": "tf.nn.static_bidirectional_rnn",
    "tf.nn.rnn": "tf.nn.static_rnn",
    "tf.nn.seq2seq": "tf.contrib.legacy_seq2seq",
    "tf.nn.state_saving_rnn": "tf.nn.static_state_saving_rnn",
    "tf.pack": "tf.stack",
    "tf.scalar_summary": "tf.summary.scalar",
    "tf.select": "tf.where",
    "tf.sub": "tf.subtract",
    "tf.train.SummaryWriter": "tf.summary.FileWriter",
    "tf.unpack": "tf.unstack",
}
_REDUCTIONS = ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")
_AXIS = {"reduction_indices": "axis"}

# Name before 1.0 -> {argument before: argument since}.
ARGUMENTS = {
    **{f"tf.reduce_{name}": _AXIS for name in _REDUCTIONS},
    "tf.argmax": {"dimension": "axis"},
    "tf.argmin": {"dimension": "axis"},
    "tf.concat": {"concat_dim": "axis"},
    "tf.count_nonzero": _AXIS,
    "tf.expand_dims": {"dim": "axis"},
    "tf.nn.sigmoid_cross_entropy_with_logits": {"targets": "labels"},
    "tf.sparse_concat": {"concat_dim": "axis"},
    "tf.sparse_reduce_sum": {"reduction_axes": "axis"},
    "tf.sparse_split": {"split_dim": "axis"},
    "tf.split": {"split_dim": "axis", "num_split": "num_or_size_splits"},
    "tf.squeeze": {"squeeze_dims": "axis"},
}

# Name before 1.0 -> the arguments of then, in order, of functions whose order has changed: places become names.
ORDER = {
    "tf.concat": ("concat_dim", "values", "name"),
    "tf.nn.nce_loss": (
        "weights",
        "biases",
        "inputs",
        "labels",
        "num_sampled",
        "num_classes",
    ),  # fmt: skip
    "tf.nn.sampled_softmax_loss": (
        "weights",
        "biases",
        "inputs",
        "labels",
        "num_sampled",
        "num_classes",
    ),  # fmt: skip
    "tf.nn.sigmoid_cross_entropy_with_logits": ("logits", "targets", "name"),
    "tf.nn.softmax_cross_entropy_with_logits": ("logits", "labels", "dim", "name"),
    "tf.nn.sparse_softmax_cross_entropy_with_logits": ("logits", "labels", "name"),
    "tf.sparse_concat": ("concat_dim", "sp_inputs", "name", "expand_nonconcat_dim"),
    "tf.sparse_split": ("split_dim", "num_split", "sp_input", "name"),
    "tf.split": ("split_dim", "num_split", "value", "name"),
}

# Calls that cannot be rewritten without knowing values.
BY_HAND = {
    "tf.div": "it divides integers as Python 2 did; tf.truediv and tf.floordiv say which is meant",
    "tf.reverse": "the second argument was bools, one for each dimension; it is the dimensions to reverse now",
    "tf.nn.rnn_cell": "state_is_tuple is True by default: states are tuples",
    "tf.contrib.rnn": "state_is_tuple is True by default: states are tuples",
}


def has_old_order(name: str, arguments: list[ast.expr]) -> bool | None:
    """Whether places are those of 0.x; None where only the values tell."""
    if name not in ORDER or not arguments:
        return False
    if name.endswith("_cross_entropy_with_logits"):
        return True  # 1.x takes no places.
    if name.endswith("_loss"):
        third = ast.unparse(arguments[2]) if len(arguments) > 2 else ""
        return None if "label" not in third else False
    if _is_number(arguments[0]):
        return True
    # The axis of 1.x is behind the values.
    last = 1 if name in ("tf.concat", "tf.sparse_concat") else 2
    if isinstance(arguments[0], (ast.List, ast.Tuple, ast.ListComp)):
        return False
    if len(arguments) > last and _is_number(arguments[last]):
        return False
    if len(arguments) > 1 and last == 2 and isinstance(arguments[1], (ast.List, ast.Tuple)):  # fmt: skip # noqa: E501
        return False  # Sizes, which 0.x did not have.
    return None


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int)
