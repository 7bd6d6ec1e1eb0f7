# SPDX-License-Identifier: Apache-2.0
"""SyncReplicasOptimizer: workers that take each step together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import indexed_slices, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    data_flow_ops,
    state_ops,
    variables,
)
from tensorwright.python.training import optimizer, queue_runner, session_manager
from tensorwright.python.training.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training.coordinator import Coordinator
    from tensorwright.python.training.moving_averages import ExponentialMovingAverage

_ALL_TOKENS = -1


def _replica_device(pairs: list[Any]) -> str:
    """Returns the device on which this replica computes: that of a gradient that is not on a variable's device."""
    servers = {var.device for _, var in pairs}
    for grad, _ in pairs:
        if grad is not None and grad.device and grad.device not in servers:
            return grad.device
    return ""


class SyncReplicasOptimizer(optimizer.Optimizer):
    """Has another optimizer apply the mean of the gradients of several replicas, step by step.

    Each replica adds its gradients to accumulators, which are where the variables are, and waits for a token. The chief
    takes the means out when `replicas_to_aggregate` gradients are there, applies them, and puts a token with the new
    global step into the queue for each replica. A gradient of an older step is dropped: a replica that is late does not
    hold the others up, if there are more of them than are waited for.

    Args:
        opt: the optimizer that applies the means.
        replicas_to_aggregate: how many gradients a step takes.
        total_num_replicas: how many replicas there are; as many by default. With more, the slowest are left out of a
            step; with fewer, replicas give several gradients to a step.
        variable_averages: an ExponentialMovingAverage, which the chief updates after each step, of
        variables_to_average: these variables; given together.
        use_locking: kept for TensorFlow's signature.
        name: the optimizer's name.

    Raises:
        ValueError: for averages without variables, or the other way round.

    Example:
        opt = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), replicas_to_aggregate=4)
        step = opt.minimize(loss, global_step=tf.train.get_global_step())
        hook = opt.make_session_run_hook(is_chief)
        with tf.train.MonitoredTrainingSession(target, is_chief, hooks=[hook]) as session: ...
    """

    def __init__(
        self,
        opt: optimizer.Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: ExponentialMovingAverage | None = None,
        variables_to_average: list[Variable] | None = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ):
        if (variable_averages is None) != (variables_to_average is None):
            raise ValueError(
                "SyncReplicasOptimizer: variable_averages and variables_to_average "
                "belong together"
            )
        super().__init__(use_locking, name)
        self._opt = opt
        self._to_aggregate = replicas_to_aggregate
        self._total = (
            replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        )
        # Replicas that give several gradients to a step need a token for each.
        self._tokens_per_step = max(self._total, self._to_aggregate)
        self._averages = variable_averages
        self._averaged = variables_to_average
        self._global_step: Any = None
        self._tokens: Any = None
        self._runner: Any = None
        self._gradients_applied = False
        # Made by apply_gradients, for the hook.
        self.local_step_init_op: Any = None
        self.chief_init_op: Any = None
        self.ready_for_local_init_op: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Returns the result of `opt.compute_gradients`."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[TensorLike | None, Variable]],
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
    ) -> ops.Operation:
        """Returns the op that a replica runs in each step: it passes gradients on and waits for the replica's token.

        Args:
            grads_and_vars: the result of `compute_gradients`.
            global_step: the variable that counts the steps; must be given.
            name: the op's name.

        Raises:
            ValueError: `grads_and_vars` is empty, or `global_step` is None.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        with ops.name_scope(None, self._name):
            return self._synchronized(pairs, name)

    def _synchronized(self, pairs: list[Any], name: str | None) -> ops.Operation:
        step = self._global_step
        dtype = step.dtype.base_dtype
        # The step of the last token; each replica has its own, so it is not on the variables' device.
        here = _replica_device(pairs)
        with ops.device(here):
            self._local_step = variables.Variable(
                array_ops.zeros([], dtype),
                trainable=False,
                collections=[ops.GraphKeys.LOCAL_VARIABLES],
                name="sync_rep_local_step",
            )
            self.local_step_init_op = state_ops.assign(self._local_step, step)
        self.ready_for_local_init_op = variables.report_uninitialized_variables(
            variables.global_variables()
        )
        gives, accumulators, means = self._accumulate(pairs)
        with ops.device(step.device), ops.name_scope(""):
            update = self._opt.apply_gradients(means, step)
        with ops.device(step.device):
            self._tokens = data_flow_ops.FIFOQueue(
                -1, dtype, shapes=[[]], name="sync_token_q", shared_name="sync_token_q"
            )
            # The runner never fills it: its thread runs the chief's part again and again.
            dummy = data_flow_ops.FIFOQueue(
                1, dtype, shapes=[[]], name="dummy_queue", shared_name="dummy_queue"
            )
            with ops.control_dependencies(gives):
                token = self._tokens.dequeue()
            with ops.device(here):
                train = state_ops.assign(self._local_step, token, name=name)
            with ops.control_dependencies([update]):
                # Read after the update: nothing else orders the two.
                now = array_ops.identity(state_ops.assign_add(step, 0))
                tokens = array_ops.fill([self._tokens_per_step], now)
                ends = self._tokens.enqueue_many([tokens])
            if self._averages is not None:
                with ops.control_dependencies([ends]):
                    ends = self._averages.apply(self._averaged)
            self._runner = _ChiefRunner(dummy, [ends])
        sets = []
        for accumulator, device in accumulators:
            with ops.device(device):
                sets.append(accumulator.set_global_step(step, name="SetGlobalStep"))
        self.chief_init_op = control_flow_ops.group(self.local_step_init_op, *sets)
        self._gradients_applied = True
        return train.op

    def _accumulate(self, pairs: list[Any]) -> tuple[list, list, list]:
        """Returns the ops that pass on a replica's gradients, the accumulators with their devices, and their means."""
        gives, accumulators, means = [], [], []
        for grad, var in pairs:
            if grad is None:
                means.append((None, var))
                continue
            shared_name = f"{var.name}/grad_accum"
            with ops.device(var.device):
                if isinstance(grad, indexed_slices.IndexedSlices):
                    accumulator = data_flow_ops.SparseConditionalAccumulator(
                        grad.dtype, shape=var.get_shape(), shared_name=shared_name
                    )
                    gives.append(
                        accumulator.apply_indexed_slices_grad(
                            grad, local_step=self._local_step
                        )
                    )
                    mean = accumulator.take_indexed_slices_grad(self._to_aggregate)
                else:
                    accumulator = data_flow_ops.ConditionalAccumulator(
                        grad.dtype, shape=var.get_shape(), shared_name=shared_name
                    )
                    gives.append(
                        accumulator.apply_grad(grad, local_step=self._local_step)
                    )
                    mean = accumulator.take_grad(self._to_aggregate)
            accumulators.append((accumulator, var.device))
            means.append((mean, var))
        return gives, accumulators, means

    def _check_applied(self, what: str) -> None:
        if not self._gradients_applied:
            raise ValueError(f"{what} must be called after apply_gradients().")

    def get_chief_queue_runner(self) -> queue_runner.QueueRunner:
        """Returns the runner of the chief's loop: it takes means out, applies them, and hands out tokens."""
        self._check_applied("get_chief_queue_runner")
        return self._runner

    def get_init_tokens_op(self, num_tokens: int = _ALL_TOKENS) -> ops.Operation:
        """Returns an op for the chief to run once: it provides the tokens with which the first step can begin.

        Args:
            num_tokens: how many; -1 for `replicas_to_aggregate`.

        Raises:
            ValueError: `num_tokens` is less than the first step needs if fewer replicas run than are aggregated.
        """
        self._check_applied("get_init_tokens_op")
        needed = self._to_aggregate - self._total
        if num_tokens == _ALL_TOKENS:
            num_tokens = self._to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs "
                f"{needed} (needed)"
            )
        if num_tokens <= 0:
            return control_flow_ops.no_op(name="no_init_tokens")
        with ops.device(self._global_step.device), ops.name_scope(""):
            tokens = array_ops.fill([num_tokens], self._global_step)
            return self._tokens.enqueue_many([tokens], name="init_tokens")

    def make_session_run_hook(
        self, is_chief: bool, num_tokens: int = _ALL_TOKENS
    ) -> SessionRunHook:
        """The hook that prepares a session for synchronous steps, and at the chief runs its part."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the result of `opt.get_slot`."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: object, **kwargs: object) -> list[str]:
        """Returns the result of `opt.get_slot_names`."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Variable]:
        """Returns the variables of the optimizer that applies the means."""
        return self._opt.variables()


class _ChiefRunner(queue_runner.QueueRunner):
    """Runs the chief's part of each step.

    Its thread waits for gradients, and when training ends no more may come: a coordinator that waited for it would do so
    for its whole grace period, two minutes by default.
    """

    _is_waited_for = False


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Initialises a replica's step, and at the chief the accumulators, the tokens and the thread that applies."""

    def __init__(self, sync: SyncReplicasOptimizer, is_chief: bool, num_tokens: int):
        self._sync = sync
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        sync = self._sync
        sync._check_applied("SyncReplicasOptimizer's hook")
        self._ready_op = sync.ready_for_local_init_op
        self._runner = self._tokens_op = None
        if not self._is_chief:
            self._init_op = sync.local_step_init_op
            return
        self._init_op = sync.chief_init_op
        self._runner = sync.get_chief_queue_runner()
        self._tokens_op = sync.get_init_tokens_op(self._num_tokens)

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        is_ready, why = session_manager._ready(
            self._ready_op, session, "Model is not ready for SyncReplicasOptimizer"
        )
        if not is_ready:
            raise RuntimeError(
                f"Init operations did not make model ready for local_init: {why}"
            )
        session.run(self._init_op)
        if self._tokens_op is not None:
            session.run(self._tokens_op)
        if self._runner is not None:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
