# SPDX-License-Identifier: Apache-2.0
"""The errors for names that TensorFlow's contrib has and this package lacks."""

from collections.abc import Callable
from typing import Any

# The modules of tf.contrib in TensorFlow 1.3, those that are here among them.
MODULES = frozenset(
    """
    all_reduce android batching bayesflow benchmark_tools boosted_trees cloud
    cluster_resolver compiler copy_graph crf cudnn_rnn data decision_trees
    deprecated distributions eager estimator factorization ffmpeg framework gan
    graph_editor grid_rnn hooks image input_pipeline integrate keras
    kernel_methods labeled_tensor layers learn legacy_seq2seq libsvm linalg
    linear_optimizer lookup losses memory_stats meta_graph_transform metrics
    model_pruning nccl ndlstm nearest_neighbor nn opt periodic_resample predictor
    quantization quantize receptive_field reduce_slice_ops resampler rnn
    saved_model seq2seq session_bundle signal slim solvers sparsemax specs staging
    stat_summarizer stateless summary tensor_forest tensorboard testing text
    tfprof timeseries tpu training util verbs
    """.split()
)


def text(name: str) -> str:
    """The words of the error that asking for `name` raises."""
    return f"{name}: TensorFlow has this, tensorwright does not yet"


def names(module: str, *missing: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module of contrib that lacks the names `missing`.

    `__getattr__ = _missing.names(__name__, "DNNClassifier")` makes the AttributeError of each say that TensorFlow has
    it; any other name raises what a module without `__getattr__` raises.
    """
    public = "tf." + module.partition(".")[2]

    def getattribute(name: str) -> Any:
        if name in missing:
            raise AttributeError(text(f"{public}.{name}"))
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return getattribute
