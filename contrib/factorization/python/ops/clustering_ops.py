# SPDX-License-Identifier: Apache-2.0
"""k-means: centers of clusters, each row of the inputs nearest to one (Lloyd 1982; in mini-batches Sculley 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.factorization.python.ops import clustering_init
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    math_ops,
    nn_impl,
    variable_scope,
)
from tensorwright.python.training import session_run_hook

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorwright.python.training.session_run_hook import (
        SessionRunArgs,
        SessionRunContext,
        SessionRunValues,
    )


__all__ = [
    "COSINE_DISTANCE",
    "KMEANS_PLUS_PLUS_INIT",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "KMeans",
    "LossRelativeChangeHook",
]

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
CLUSTERS_VAR_NAME = "clusters"


class KMeans:
    """Operations that find clusters of rows.

    Args:
        inputs: a float tensor [n, d], or a list of such, with the same d, which is known.
        num_clusters: how many; an int.
        initial_clusters: "random" rows of the inputs, "kmeans_plus_plus", an array [num_clusters, d], or a function of
            (inputs, number) that gives such.
        distance_metric: "squared_euclidean" or "cosine", which is 1 - cos.
        use_mini_batch: whether inputs are a part of the data, by which centers move a little; else all of it, of which
            centers become means.
        mini_batch_steps_per_iteration: after how many steps the centers that rows are compared with follow.
        random_seed: the seed of the first centers.
        kmeans_plus_plus_num_retries: more draws of each center for "kmeans_plus_plus", of which the best is taken.

    Raises:
        ValueError: an unknown metric or way to begin, or a d that is not known.

    Example:
        kmeans = tf.contrib.factorization.KMeans(x, num_clusters=10, use_mini_batch=True)
        all_scores, cluster_idx, scores, initialized, init_op, train_op = kmeans.training_graph()
        session.run(tf.global_variables_initializer())
        session.run(init_op, {x: data})
        for _ in range(50): session.run(train_op, {x: data})
    """

    def __init__(
        self,
        inputs: TensorLike | Sequence[TensorLike],
        num_clusters: int,
        initial_clusters: TensorLike | Callable[..., TensorLike] = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int | None = 0,
        kmeans_plus_plus_num_retries: int = 2,
    ):
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric passed to Kmeans {distance_metric}")  # fmt: skip # noqa: E501
        given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        self._inputs = [ops.convert_to_tensor(x) for x in given]
        self._size = self._inputs[0].get_shape().with_rank(2)[1].value
        if self._size is None:
            raise ValueError("KMeans: the number of columns of inputs must be known")
        known = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in known:
            raise ValueError(f"Unsupported initialization algorithm {initial_clusters!r}")  # fmt: skip # noqa: E501
        self._num_clusters = int(num_clusters)
        self._initial_clusters = initial_clusters
        self._cosine = distance_metric == COSINE_DISTANCE
        self._use_mini_batch = use_mini_batch
        self._steps = int(mini_batch_steps_per_iteration)
        self._seed = random_seed
        self._retries = kmeans_plus_plus_num_retries

    # --- Distances ------------------------------------------------------------------

    def _rows(self) -> list[ops.Tensor]:
        """The inputs, of length 1 for angles."""
        if not self._cosine:
            return self._inputs
        return [nn_impl.l2_normalize(x, 1) for x in self._inputs]

    def _distances(self, rows: ops.Tensor, centers: Any) -> ops.Tensor:
        if not self._cosine:
            return clustering_init.squared_distances(rows, centers)
        unit = nn_impl.l2_normalize(centers, 1)
        return 1 - math_ops.matmul(rows, unit, transpose_b=True)

    # --- The operations -------------------------------------------------------------

    def training_graph(self) -> tuple:
        """Makes the variables and operations.

        Returns:
            (all_scores, cluster_idx, scores, cluster_centers_initialized, init_op, training_op): for each tensor of the
            inputs the distances [n, num_clusters], the int64 index of the nearest center [n], and its distance [n]; the
            bool variable that says whether there are centers; what makes them of the inputs, unless there are; and what
            improves them.
        """
        return self.operations(initializes=False)

    def operations(self, initializes: bool) -> tuple:
        """As `training_graph`; with `initializes`, distances and steps make the first centers before, if there are none."""
        self._make_variables()
        rows = self._rows()
        init_op = self._initialize(rows)
        # All that is read of the centers is read after the first ones are there.
        with ops.control_dependencies([init_op] if initializes else []):
            centers = self._centers.read_value()
            all_scores = [self._distances(x, centers) for x in rows]
            cluster_idx = [math_ops.argmin(s, 1) for s in all_scores]
            scores = [math_ops.reduce_min(s, 1) for s in all_scores]
            if self._use_mini_batch:
                training_op = self._mini_batch_step(rows, cluster_idx)
            else:
                training_op = self._full_step(rows, cluster_idx)
        return all_scores, cluster_idx, scores, self._initialized, init_op, training_op

    def _make_variables(self) -> None:
        k, dtype = self._num_clusters, self._inputs[0].dtype.base_dtype

        def make(name: str, value: Any) -> Any:
            return variable_scope.variable(value, trainable=False, name=name, use_resource=True)  # fmt: skip # noqa: E501

        self._centers = make(CLUSTERS_VAR_NAME, array_ops.zeros([k, self._size], dtype))
        self._initialized = make("initialized", False)
        # Mini-batches move these centers; the others follow.
        self._moving, self._counts = self._centers, None
        if self._use_mini_batch:
            self._counts = make("total_counts", array_ops.zeros([k], dtypes.int64))
            self._step_count = make("update_in_steps", self._steps)
            if self._steps > 1:
                self._moving = make("clusters_updated", array_ops.zeros([k, self._size], dtype))  # fmt: skip # noqa: E501

    def _first_centers(self, rows: list[ops.Tensor]) -> ops.Tensor:
        given, k = self._initial_clusters, self._num_clusters
        x = rows[0] if len(rows) == 1 else array_ops.concat(rows, 0)
        if isinstance(given, str):
            enough = check_ops.assert_greater_equal(
                array_ops.shape(x)[0], k,
                message="KMeans: the first inputs must have a row for each cluster",
            )  # fmt: skip
            with ops.control_dependencies([enough]):
                x = array_ops.identity(x)
            if given == RANDOM_INIT:
                found = clustering_init.by_chance(x, k, self._seed)
            else:
                found = clustering_init.far_apart(x, k, self._retries, self._seed)
        elif callable(given):
            found = given(x, k)
        else:
            found = given
        found = ops.convert_to_tensor(found, dtype=x.dtype)
        if self._cosine:
            found = nn_impl.l2_normalize(found, 1)
        return array_ops.reshape(found, [k, self._size])

    def _initialize(self, rows: list[ops.Tensor]) -> ops.Operation:
        def make() -> ops.Operation:
            first = self._first_centers(rows)
            updates = [self._centers.assign(first).op]
            if self._moving is not self._centers:
                updates.append(self._moving.assign(first).op)
            with ops.control_dependencies(updates):
                return control_flow_ops.group(self._initialized.assign(True).op)

        done = self._initialized.read_value()
        return control_flow_ops.cond(done, control_flow_ops.no_op, make).op

    def _sums(self, rows: list[ops.Tensor], idx: list[ops.Tensor]) -> tuple:
        """(sums of the rows of each cluster [k, d], their counts [k])."""
        k = self._num_clusters
        sums = [math_ops.unsorted_segment_sum(x, i, k) for x, i in zip(rows, idx, strict=True)]  # fmt: skip # noqa: E501
        counts = [math_ops.unsorted_segment_sum(array_ops.ones_like(i), i, k) for i in idx]  # fmt: skip # noqa: E501
        return math_ops.add_n(sums), math_ops.add_n(counts)

    def _full_step(self, rows: list[ops.Tensor], idx: list[ops.Tensor]) -> ops.Operation:  # fmt: skip # noqa: E501
        """Centers become the means of their rows; one without rows stays."""
        sums, counts = self._sums(rows, idx)
        many = array_ops.expand_dims(math_ops.cast(counts, sums.dtype), 1)
        means = sums / math_ops.maximum(many, 1)
        if self._cosine:
            means = nn_impl.l2_normalize(means, 1)
        old = self._centers.read_value()
        kept = array_ops.where(counts > 0, means, old)
        return self._centers.assign(kept).op

    def _mini_batch_step(self, rows: list[ops.Tensor], idx: list[ops.Tensor]) -> ops.Operation:  # fmt: skip # noqa: E501
        """Centers become the means of all rows that they ever got."""
        sums, counts = self._sums(rows, idx)
        before = self._counts.read_value()
        old = self._moving.read_value()
        with ops.control_dependencies([before, old, sums]):
            after = self._counts.assign_add(counts)
        weight = array_ops.expand_dims(math_ops.cast(math_ops.maximum(after, 1), sums.dtype), 1)  # fmt: skip # noqa: E501
        share = array_ops.expand_dims(math_ops.cast(counts, sums.dtype), 1)
        moved = self._moving.assign(old + (sums - share * old) / weight)
        if self._moving is self._centers:
            return control_flow_ops.group(moved.op)
        left = self._step_count.assign_sub(1)

        def follow() -> ops.Operation:
            new = array_ops.identity(moved)
            if self._cosine:
                new = nn_impl.l2_normalize(new, 1)
            zeros = array_ops.zeros_like(self._counts)
            return control_flow_ops.group(
                self._centers.assign(new).op,
                self._counts.assign(zeros).op,
                self._step_count.assign(self._steps).op,
            )

        with ops.control_dependencies([moved, after]):
            ends = left <= 0
        return control_flow_ops.cond(ends, follow, control_flow_ops.no_op).op


class LossRelativeChangeHook(session_run_hook.SessionRunHook):
    """Stops when the loss changes less than a part of itself."""

    def __init__(self, loss: ops.Tensor, tolerance: float):
        self._loss, self._tolerance = loss, tolerance
        self._before: float | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        del run_context
        return session_run_hook.SessionRunArgs(self._loss)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        loss, before = float(run_values.results), self._before
        if before is not None and abs(loss - before) < self._tolerance * max(before, 1e-12):  # fmt: skip # noqa: E501
            run_context.request_stop()
        self._before = loss
