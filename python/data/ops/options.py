# SPDX-License-Identifier: Apache-2.0
"""tf.data.Options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import dataset_options_pb2
from tensorwright.python.data.util import options as util

if TYPE_CHECKING:
    from google.protobuf.message import Message


class ThreadingOptions(util.OptionsBase):
    """Limits the number of threads that a dataset may use."""

    _DEFAULTS = {"max_intra_op_parallelism": None, "private_threadpool_size": None}

    max_intra_op_parallelism = util._property(
        "max_intra_op_parallelism", "Threads of one op, None for the session's."
    )
    private_threadpool_size = util._property(
        "private_threadpool_size",
        "Threads of the dataset's own, None for the session's.",
    )


class AutotuneOptions(util.OptionsBase):
    """Says which settings the runtime may choose by itself."""

    _DEFAULTS = {
        "enabled": None, "cpu_budget": None, "ram_budget": None,
        "autotune_algorithm": None, "initial_parallelism": None,
    }  # fmt: skip


class DistributeOptions(util.OptionsBase):
    _DEFAULTS = {"auto_shard_policy": 0, "num_devices": None}


class OptimizationOptions(util.OptionsBase):
    _DEFAULTS = {
        "apply_default_optimizations": None, "filter_fusion": None,
        "filter_parallelization": None, "inject_prefetch": None,
        "map_and_batch_fusion": None, "map_and_filter_fusion": None,
        "map_fusion": None, "map_parallelization": None,
        "noop_elimination": None, "parallel_batch": None,
        "seq_interleave_prefetch": None, "shuffle_and_repeat_fusion": None,
    }  # fmt: skip


class ServiceOptions(util.OptionsBase):
    _DEFAULTS = {"pinned": None}


class Options(util.OptionsBase):
    """Options of `Dataset.with_options`; each is None until it is set.

    Iterators obey `deterministic` (if False, results of parallel calls come as soon as they
    are ready), `threading.private_threadpool_size` (parallel calls run in threads of the
    iterator's own) and `autotune` (`enabled`, `ram_budget`: whether, and up to how many
    bytes, a buffer of `prefetch(AUTOTUNE)` grows).  The other options are kept, merged and
    written to graphs, but have no effect.
    """

    _DEFAULTS = {
        "autotune": AutotuneOptions, "dataset_name": None, "deterministic": None,
        "experimental_deterministic": None,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": None,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions, "experimental_slack": None,
        "experimental_symbolic_checkpoint": None,
        "experimental_threading": ThreadingOptions,
        "experimental_warm_start": None, "framework_type": None,
        "threading": ThreadingOptions,
    }  # fmt: skip

    def merge(self, options: Options) -> Options:
        """New options: those of `options` where they are set, else these."""
        return util.merge(self, options)


for _name in Options._DEFAULTS:
    setattr(Options, _name, util._property(_name, f"`{_name}`; see the class."))


def to_proto(options: Options) -> Message:
    """Returns the message of Options that an OptionsDataset has; options that are not set are left out."""
    proto = dataset_options_pb2.Options()
    for name, value in options._values.items():
        if isinstance(value, util.OptionsBase):
            target = getattr(proto, _MESSAGES[name])
            for part, number in value._values.items():
                if number is not None:
                    setattr(target, part, _number(number))
        elif name == "framework_type":
            proto.framework_type.extend(value or ())
        elif value is not None:
            setattr(proto, name.removeprefix("experimental_"), _number(value))
    return proto


def _number(value: Any) -> Any:
    """Returns the number of an enum's member."""
    return getattr(value, "value", value)


# Options that are messages of their own -> their fields.
_MESSAGES = {
    "autotune": "autotune_options",
    "experimental_distribute": "distribute_options",
    "experimental_optimization": "optimization_options",
    "experimental_service": "service_options",
    "experimental_threading": "threading_options",
    "threading": "threading_options",
}
