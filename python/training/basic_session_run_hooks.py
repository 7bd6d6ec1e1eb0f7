# SPDX-License-Identifier: Apache-2.0
"""Hooks that most programs need: re-exports, no code."""

from tensorwright.python.summary.writer.writer_cache import (
    FileWriterCache as SummaryWriterCache,
)
from tensorwright.python.training._hooks.hook_timers import (
    NeverTriggerTimer,
    SecondOrStepTimer,
    as_graph_element as _as_graph_element,
)
from tensorwright.python.training._hooks.logging_hooks import (
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    ProfilerHook,
    StepCounterHook,
)
from tensorwright.python.training._hooks.saving_hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    SummarySaverHook,
)
from tensorwright.python.training._hooks.several_steps import (
    MultiStepStopAtStepHook as _MultiStepStopAtStepHook,
    get_or_create_steps_per_run_variable,
)
from tensorwright.python.training._hooks.step_hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    StopAtStepHook,
)
from tensorwright.python.training.session_run_hook import SessionRunArgs

__all__ = [
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "FeedFnHook",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LoggingTensorHook",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "NeverTriggerTimer",
    "ProfilerHook",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "SummaryWriterCache",
    "_MultiStepStopAtStepHook",
    "_as_graph_element",
    "get_or_create_steps_per_run_variable",
]
