# SPDX-License-Identifier: Apache-2.0
"""tf.train: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.core.example.example_pb2 import (
    Example as Example,
    SequenceExample as SequenceExample,
)
from tensorwright.core.example.feature_pb2 import (
    BytesList as BytesList,
    Feature as Feature,
    FeatureList as FeatureList,
    FeatureLists as FeatureLists,
    Features as Features,
    FloatList as FloatList,
    Int64List as Int64List,
)
from tensorwright.core.protobuf.cluster_pb2 import (
    ClusterDef as ClusterDef,
    JobDef as JobDef,
)
from tensorwright.core.protobuf.saver_pb2 import SaverDef as SaverDef
from tensorwright.core.protobuf.tensorflow_server_pb2 import ServerDef as ServerDef
from tensorwright.python.framework.graph_io import write_graph as write_graph
from tensorwright.python.ops.sdca_ops import (
    sdca_fprint as sdca_fprint,
    sdca_optimizer as sdca_optimizer,
    sdca_shrink_l1 as sdca_shrink_l1,
)
from tensorwright.python.training import queue_runner as queue_runner
from tensorwright.python.training.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from tensorwright.python.training.adagrad import AdagradOptimizer as AdagradOptimizer
from tensorwright.python.training.adagrad_da import (
    AdagradDAOptimizer as AdagradDAOptimizer,
)
from tensorwright.python.training.adam import AdamOptimizer as AdamOptimizer
from tensorwright.python.training.basic_loops import (
    basic_train_loop as basic_train_loop,
)
from tensorwright.python.training.basic_session_run_hooks import (
    CheckpointSaverHook as CheckpointSaverHook,
    CheckpointSaverListener as CheckpointSaverListener,
    FeedFnHook as FeedFnHook,
    FinalOpsHook as FinalOpsHook,
    GlobalStepWaiterHook as GlobalStepWaiterHook,
    LoggingTensorHook as LoggingTensorHook,
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    NanTensorHook as NanTensorHook,
    ProfilerHook as ProfilerHook,
    SecondOrStepTimer as SecondOrStepTimer,
    StepCounterHook as StepCounterHook,
    StopAtStepHook as StopAtStepHook,
    SummarySaverHook as SummarySaverHook,
    get_or_create_steps_per_run_variable as get_or_create_steps_per_run_variable,
)
from tensorwright.python.training.checkpoint_management import (
    checkpoint_exists as checkpoint_exists,
    checkpoints_iterator as checkpoints_iterator,
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    remove_checkpoint as remove_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from tensorwright.python.training.checkpoint_manager import (
    CheckpointManager as CheckpointManager,
)
from tensorwright.python.training.checkpoint_utils import (
    NewCheckpointReader as NewCheckpointReader,
    init_from_checkpoint as init_from_checkpoint,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tensorwright.python.training.coordinator import (
    Coordinator as Coordinator,
    LooperThread as LooperThread,
)
from tensorwright.python.training.device_setter import (
    replica_device_setter as replica_device_setter,
)
from tensorwright.python.training.experimental import (
    experimental_ns as experimental,
)
from tensorwright.python.training.ftrl import FtrlOptimizer as FtrlOptimizer
from tensorwright.python.training.gradient_descent import (
    GradientDescentOptimizer as GradientDescentOptimizer,
)
from tensorwright.python.training.input import (
    batch as batch,
    batch_join as batch_join,
    input_producer as input_producer,
    limit_epochs as limit_epochs,
    match_filenames_once as match_filenames_once,
    maybe_batch as maybe_batch,
    maybe_batch_join as maybe_batch_join,
    maybe_shuffle_batch as maybe_shuffle_batch,
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
    range_input_producer as range_input_producer,
    shuffle_batch as shuffle_batch,
    shuffle_batch_join as shuffle_batch_join,
    slice_input_producer as slice_input_producer,
    string_input_producer as string_input_producer,
)
from tensorwright.python.training.learning_rate_decay import (
    cosine_decay as cosine_decay,
    cosine_decay_restarts as cosine_decay_restarts,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    linear_cosine_decay as linear_cosine_decay,
    natural_exp_decay as natural_exp_decay,
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
    piecewise_constant as piecewise_constant,
    piecewise_constant_decay as piecewise_constant_decay,
    polynomial_decay as polynomial_decay,
)
from tensorwright.python.training.momentum import MomentumOptimizer as MomentumOptimizer
from tensorwright.python.training.monitored_session import (
    ChiefSessionCreator as ChiefSessionCreator,
    MonitoredSession as MonitoredSession,
    MonitoredTrainingSession as MonitoredTrainingSession,
    Scaffold as Scaffold,
    SessionCreator as SessionCreator,
    SingularMonitoredSession as SingularMonitoredSession,
    WorkerSessionCreator as WorkerSessionCreator,
)
from tensorwright.python.training.moving_averages import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from tensorwright.python.training.optimizer import Optimizer as Optimizer
from tensorwright.python.training.proximal_adagrad import (
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
)
from tensorwright.python.training.proximal_gradient_descent import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from tensorwright.python.training.quantize_training import (
    do_quantize_training_on_graphdef as do_quantize_training_on_graphdef,
)
from tensorwright.python.training.queue_runner_impl import (
    QueueRunner as QueueRunner,
    add_queue_runner as add_queue_runner,
    start_queue_runners as start_queue_runners,
)
from tensorwright.python.training.rmsprop import RMSPropOptimizer as RMSPropOptimizer
from tensorwright.python.training.saver import (
    Saver as Saver,
    export_meta_graph as export_meta_graph,
    import_meta_graph as import_meta_graph,
)
from tensorwright.python.training.server_lib import (
    ClusterSpec as ClusterSpec,
    Server as Server,
)
from tensorwright.python.training.session_manager import (
    SessionManager as SessionManager,
)
from tensorwright.python.training.session_run_hook import (
    SessionRunArgs as SessionRunArgs,
    SessionRunContext as SessionRunContext,
    SessionRunHook as SessionRunHook,
    SessionRunValues as SessionRunValues,
)
from tensorwright.python.training.summary_io import (
    summary_iterator as summary_iterator,
)
from tensorwright.python.training.supervisor import (
    Supervisor as Supervisor,
)
from tensorwright.python.training.sync_replicas_optimizer import (
    SyncReplicasOptimizer as SyncReplicasOptimizer,
)
from tensorwright.python.training.training_util import (
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
)
from tensorwright.python.training.warm_starting_util import (
    VocabInfo as VocabInfo,
    warm_start as warm_start,
)
