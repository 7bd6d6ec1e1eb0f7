# SPDX-License-Identifier: Apache-2.0
# `tf` for type checkers: what __init__.py looks up when a name is first used, imported.
# python/framework/stubs_test.py compares the two.
from tensorwright import (
    cluster as cluster,
    compat as compat,
    contrib as contrib,
    python as python,
)
from tensorwright.python import (
    autograph as autograph,
    examples as examples,
    keras as keras,
)
from tensorwright.python.client.policy import Policy as Policy
from tensorwright.python.client.session import (
    InteractiveSession as InteractiveSession,
    Session as Session,
)
from tensorwright.python.data import data as data
from tensorwright.python.distribute import distribute_ns as distribute
from tensorwright.python.eager.def_function import function as function
from tensorwright.python.eager.wrap_function import wrap_function as wrap_function
from tensorwright.python.estimator import estimator_lib as estimator
from tensorwright.python.explain.source_chain import explain as explain
from tensorwright.python.feature_column import feature_column_ns as feature_column
from tensorwright.python.framework import (
    errors as errors,
    graph_util as graph_util,
    version_lib as version,
)
from tensorwright.python.framework.batching_registry import (
    Batched as Batched,
    CannotBatch as CannotBatch,
    RegisterBatchingRule as RegisterBatchingRule,
)
from tensorwright.python.framework.constant_op import constant as constant
from tensorwright.python.framework.dtypes import *
from tensorwright.python.framework.framework_lib import *
from tensorwright.python.framework.library_rules import (
    RegisterShapeFunction as RegisterShapeFunction,
)
from tensorwright.python.framework.protos_lib import *
from tensorwright.python.framework.versions import (
    COMPILER_VERSION as COMPILER_VERSION,
    CXX11_ABI_FLAG as CXX11_ABI_FLAG,
    CXX_VERSION as CXX_VERSION,
    GIT_VERSION as GIT_VERSION,
    GRAPH_DEF_VERSION as GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
    MONOLITHIC_BUILD as MONOLITHIC_BUILD,
    VERSION as VERSION,
    __compiler_version__ as __compiler_version__,
    __cxx11_abi_flag__ as __cxx11_abi_flag__,
    __cxx_version__ as __cxx_version__,
    __git_version__ as __git_version__,
    __monolithic_build__ as __monolithic_build__,
    __version__ as __version__,
)
from tensorwright.python.layers import layers as layers
from tensorwright.python.lib.io import python_io as python_io
from tensorwright.python.ops import (
    bitwise_ops as bitwise,
    image_ops as image,
    metrics as metrics,
    nn as nn,
    raw_ops as raw_ops,
    sets as sets,
)
from tensorwright.python.ops._namespaces import (
    audio_ns as audio,
    config_ns as config,
    debugging_ns as debugging,
    dtypes_ns as dtypes,
    initializers_ns as initializers,
    io_ns as io,
    linalg_ns as linalg,
    lookup_ns as lookup,
    manip_ns as manip,
    math_ns as math,
    quantization_ns as quantization,
    queue_ns as queue,
    random_ns as random,
    sparse_ns as sparse,
    spectral_ns as spectral,
    strings_ns as strings,
)
from tensorwright.python.ops.distributions import distributions as distributions
from tensorwright.python.ops.losses import losses as losses
from tensorwright.python.ops.module import Module as Module
from tensorwright.python.ops.signal import signal as signal
from tensorwright.python.ops.standard_ops import *
from tensorwright.python.ops.type_specs import (
    IndexedSlicesSpec as IndexedSlicesSpec,
    NoneTensorSpec as NoneTensorSpec,
    SparseTensorSpec as SparseTensorSpec,
    TensorArraySpec as TensorArraySpec,
    TensorSpec as TensorSpec,
    TypeSpec as TypeSpec,
    type_spec_from_value as type_spec_from_value,
)
from tensorwright.python.ops.user_op import user_op as user_op
from tensorwright.python.ops.vectorized_map import vectorized_map as vectorized_map
from tensorwright.python.platform import (
    app as app,
    flags as flags,
    gfile as gfile,
    resource_loader as resource_loader,
    sysconfig as sysconfig,
    test as test,
    tf_logging as logging,
)
from tensorwright.python.platform.tf_logging import get_logger as get_logger
from tensorwright.python.profiler import profiler as profiler
from tensorwright.python.saved_model import saved_model as saved_model
from tensorwright.python.summary import summary as summary
from tensorwright.python.training import training as train
from tensorwright.python.training.experimental import (
    mixed_precision as mixed_precision,
)
from tensorwright.python.user_ops import user_ops as user_ops
from tensorwright.python.util import nest as nest

# Names of `tf` that are not the modules' own: a stub offers only these of renamed imports.
__all__ = [
    "audio",
    "bitwise",
    "cluster",
    "config",
    "debugging",
    "distribute",
    "dtypes",
    "estimator",
    "feature_column",
    "image",
    "initializers",
    "io",
    "linalg",
    "logging",
    "lookup",
    "manip",
    "math",
    "quantization",
    "queue",
    "random",
    "sparse",
    "spectral",
    "strings",
    "train",
    "version",
]
