# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.training: hyperparameters, batches of chosen elements, training and evaluation.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.training.python.training.batch_sequences import (
    batch_sequences_with_states,
)
from tensorwright.contrib.training.python.training.bucket_ops import (
    bucket,
    bucket_by_sequence_length,
)
from tensorwright.contrib.training.python.training.device_setter import (
    GreedyLoadBalancingStrategy,
    byte_size_load_fn,
)
from tensorwright.contrib.training.python.training.evaluation import (
    StopAfterNEvalsHook,
    SummaryAtEndHook,
    checkpoints_iterator,
    evaluate_once,
    evaluate_repeatedly,
    get_or_create_eval_step,
    wait_for_new_checkpoint,
)
from tensorwright.contrib.training.python.training.failure_tolerator import (
    FailureTolerator,
)
from tensorwright.contrib.training.python.training.feeding_queue_runner import (
    FeedingQueueRunner,
)
from tensorwright.contrib.training.python.training.hparam import HParams, parse_values
from tensorwright.contrib.training.python.training.hparam_pb2 import HParamDef
from tensorwright.contrib.training.python.training.python_input import python_input
from tensorwright.contrib.training.python.training.resample import (
    resample_at_rate,
    weighted_resample,
)
from tensorwright.contrib.training.python.training.sampling_ops import (
    rejection_sample,
    stratified_sample,
)
from tensorwright.contrib.training.python.training.sequence_queueing_state_saver import (  # noqa: E501
    NextQueuedSequenceBatch,
    SequenceQueueingStateSaver,
)
from tensorwright.contrib.training.python.training.training import (
    add_gradients_summaries,
    clip_gradient_norms,
    create_train_op,
    multiply_gradients,
    train,
)
from tensorwright.contrib.training.python.training.tuner import Tuner
