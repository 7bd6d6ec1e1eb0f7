# SPDX-License-Identifier: Apache-2.0
"""Graphs that train random forests and predict with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.ops import variables as framework_variables
from tensorwright.contrib.tensor_forest.python.forest_hparams import (
    CLASSIFICATION_LEAF_MODEL_TYPES,
    FINISH_TYPES,
    PRUNING_TYPES,
    REGRESSION_MODEL_TYPE,
    SPLIT_TYPES,
    ForestHParams,
    build_params_proto,
    parse_number_or_string_to_proto,
)
from tensorwright.contrib.tensor_forest.python.forest_trees import (
    ForestVariables,
    RandomTreeGraphs,
    TreeTrainingVariables,
    TreeVariables,
    get_epoch_variable,
)
from tensorwright.contrib.tensor_forest.python.ops import (
    data_ops,
)
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    random_ops,
)
from tensorwright.python.ops.losses import losses
from tensorwright.python.platform import tf_logging as logging

if TYPE_CHECKING:
    from tensorwright.python.framework import sparse_tensor
    from tensorwright.python.framework.type_aliases import TensorLike, TensorTree

__all__ = [
    "CLASSIFICATION_LEAF_MODEL_TYPES",
    "FINISH_TYPES",
    "PRUNING_TYPES",
    "REGRESSION_MODEL_TYPE",
    "SPLIT_TYPES",
    "ForestHParams",
    "ForestVariables",
    "RandomForestGraphs",
    "RandomTreeGraphs",
    "TrainingLossForest",
    "TreeTrainingVariables",
    "TreeVariables",
    "build_params_proto",
    "get_epoch_variable",
    "one_hot_wrapper",
    "parse_number_or_string_to_proto",
]


class RandomForestGraphs:
    """The operations of a forest.

    Args:
        params: ForestHParams, filled in.
        tree_configs, tree_stats: what each tree begins with; see TreeVariables.
        device_assigner: a device function, which places each tree; VariableDeviceChooser by default.
        variables: the resources of all trees; None: new ones.
        tree_variables_class: makes the resources of a tree.
        tree_graphs: makes the operations of a tree; RandomTreeGraphs by default.
        training: whether the trees will grow.
    """

    def __init__(
        self,
        params: ForestHParams,
        tree_configs: Sequence[TensorLike] | None = None,
        tree_stats: Sequence[TensorLike] | None = None,
        device_assigner: Callable[[ops.Operation], str] | str | None = None,
        variables: ForestVariables | None = None,
        tree_variables_class: Callable[..., TreeVariables] = TreeVariables,
        tree_graphs: Callable[..., RandomTreeGraphs] | None = None,
        training: bool = True,
    ):
        self.params = params
        self.device_assigner = (
            device_assigner or framework_variables.VariableDeviceChooser()
        )
        logging.info("Constructing forest with params = ")
        logging.info(self.params.__dict__)
        self.variables = variables or ForestVariables(
            self.params,
            device_assigner=self.device_assigner,
            training=training,
            tree_variables_class=tree_variables_class,
            tree_configs=tree_configs,
            tree_stats=tree_stats,
        )
        make = tree_graphs or RandomTreeGraphs
        self.trees = [
            make(self.variables[i], self.params, i)
            for i in range(self.params.num_trees)
        ]

    def _device(self, tree_num: int) -> Any:
        return ops.device(self.variables.device_dummies[tree_num].device)

    def _bag_features(self, tree_num: int, input_data: ops.Tensor) -> ops.Tensor:
        """The columns that the tree sees."""
        return array_ops.gather(
            input_data, self.params.bagged_features[tree_num], axis=1
        )

    def get_all_resource_handles(self) -> list[ops.Tensor]:
        """The handles of all trees, and of their statistics in training."""
        made = [self.variables[i] for i in range(len(self.trees))]
        stats = [v.stats for v in made if v.stats is not None]
        return [v.tree for v in made] + stats

    def training_graph(
        self,
        input_data: TensorTree,
        input_labels: TensorTree,
        num_trainers: int = 1,
        trainer_id: int = 0,
        **tree_kwargs: TensorLike | None,
    ) -> ops.Operation:
        """An operation that trains the trees of one trainer with a batch.

        Args:
            input_data: features [n, num_features], dense or sparse, or a dict of them; see
                `data_ops.ParseDataTensorOrDict`.
            input_labels: classes [n] or [n, 1], or outputs [n, num_classes] of a regression.
            num_trainers: how many trainers share the trees; and
            trainer_id: the number of this one.
            **tree_kwargs: for RandomTreeGraphs.training_graph, as `input_weights`, float [n].

        Raises:
            NotImplementedError: bagging of sparse features, or of features in a dict.
            ValueError: no labels.
        """
        dense, sparse, data_spec = data_ops.ParseDataTensorOrDict(input_data)
        if input_labels is None:
            raise ValueError("input_labels must be given to train")
        labels = data_ops.ParseLabelTensorOrDict(input_labels)
        weights = tree_kwargs.pop("input_weights", None)
        if weights is not None:
            weights = math_ops.cast(ops.convert_to_tensor(weights), dtypes.float32)
        trained = []
        each = self.params.num_trees / num_trainers
        for i in range(int(trainer_id * each), int((trainer_id + 1) * each)):
            with self._device(i):
                seed = self.params.base_random_seed
                seed = seed + i if seed else 0
                tree_data, tree_labels, tree_weights = dense, labels, weights
                if self.params.bagging_fraction < 1.0:
                    if sparse is not None:
                        raise NotImplementedError("Bagging is not supported with sparse features.")  # fmt: skip # noqa: E501
                    bag = self._bag(dense, seed)
                    tree_data = array_ops.gather(dense, bag)
                    tree_labels = array_ops.gather(labels, bag)
                    if weights is not None:
                        tree_weights = array_ops.gather(weights, bag)
                tree_data = self._tree_data(i, tree_data, sparse, data_spec)
                operation = self.trees[i].training_graph(
                    tree_data,
                    tree_labels,
                    seed,
                    data_spec=data_spec,
                    sparse_features=sparse,
                    **({"input_weights": tree_weights} if weights is not None else {}),
                    **tree_kwargs,
                )
                trained.append(operation)
        return control_flow_ops.group(*trained, name="train")

    def _bag(self, data: ops.Tensor, seed: int) -> ops.Tensor:
        """Numbers of rows, each of which is drawn with the chance of bagging_fraction."""
        rows = array_ops.shape(data)[:1]
        drawn = random_ops.random_uniform(rows, seed=seed or None)
        chosen = array_ops.where(drawn < self.params.bagging_fraction)
        return array_ops.squeeze(chosen, axis=[1])

    def _tree_data(
        self,
        tree_num: int,
        data: ops.Tensor | None,
        sparse: sparse_tensor.SparseTensor | None,
        data_spec: data_ops.TensorForestDataSpec,
    ) -> ops.Tensor | None:
        if not self.params.bagged_features:
            return data
        if sparse is not None or data is None:
            raise NotImplementedError(
                "Feature bagging is not supported with sparse features."
            )
        if any(c.original_type != data_ops.DATA_FLOAT for c in data_spec.dense.cols):
            raise NotImplementedError(
                "Feature bagging is not supported with categories."
            )
        return self._bag_features(tree_num, data)

    def inference_graph(
        self, input_data: TensorTree, **inference_args: TensorLike
    ) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor]:
        """The predictions of the forest.

        Args:
            input_data: as in `training_graph`.
            **inference_args: for RandomTreeGraphs.inference_graph.

        Returns:
            The mean of the trees' predictions, float [n, num_classes]: probabilities, or outputs of a regression; the
            serialized TreePaths, string [n, num_trees]; the variance of the trees' predictions, float [n, num_classes].
        """
        dense, sparse, data_spec = data_ops.ParseDataTensorOrDict(input_data)
        predictions, paths = [], []
        for i in range(self.params.num_trees):
            with self._device(i):
                tree_data = self._tree_data(i, dense, sparse, data_spec)
                predicted, path = self.trees[i].inference_graph(
                    tree_data, data_spec, sparse_features=sparse, **inference_args
                )
                predicted.set_shape([None, self.params.num_classes])
                predictions.append(predicted)
                paths.append(path)
        with self._device(0):
            trees = self.params.num_trees
            stacked = array_ops.stack(predictions, axis=1)
            mean = math_ops.divide(
                math_ops.reduce_sum(stacked, 1), trees, name="probabilities"
            )
            squares = math_ops.reduce_sum(stacked * stacked, 1) / trees
            variance = math_ops.maximum(0.0, squares - mean * mean)
            return mean, array_ops.stack(paths, axis=1), variance

    def average_size(self) -> ops.Tensor:
        """The mean number of nodes of a tree: float []."""
        sizes = []
        for i, tree in enumerate(self.trees):
            with self._device(i):
                sizes.append(tree.size())
        return math_ops.reduce_mean(
            math_ops.cast(array_ops.stack(sizes), dtypes.float32)
        )

    def training_loss(
        self, features: TensorTree, labels: TensorTree, name: str = "training_loss"
    ) -> ops.Tensor:
        """The negative of `average_size`, which sinks while the trees grow: float []."""
        del features, labels
        return math_ops.negative(self.average_size(), name=name)

    def validation_loss(self, features: TensorTree, labels: TensorTree) -> ops.Tensor:
        """The same as `training_loss`."""
        del features, labels
        return math_ops.negative(self.average_size())

    def average_impurity(self) -> ops.Tensor:
        """The mean of the trees' impurities, see RandomTreeGraphs.average_impurity: float []; an error in a regression."""
        impurities = []
        for i, tree in enumerate(self.trees):
            with self._device(i):
                impurities.append(tree.average_impurity())
        return math_ops.reduce_mean(array_ops.stack(impurities))

    def feature_importances(self) -> ops.Tensor:
        """The part of all tests that is of each feature: float [num_features]; NaN before the first split."""
        counts = []
        for i, tree in enumerate(self.trees):
            of_tree = tree.feature_usage_counts()
            if self.params.bagged_features:
                bag = self.params.bagged_features[i]
                of_tree = array_ops.scatter_nd(
                    [[feature] for feature in bag],
                    of_tree[: len(bag)],
                    [self.params.num_features],
                )
            counts.append(of_tree)
        total = math_ops.cast(math_ops.add_n(counts), dtypes.float32)
        return total / math_ops.reduce_sum(total)


def one_hot_wrapper(
    num_classes: int, loss_fn: Callable[[TensorLike, TensorLike], ops.Tensor]
) -> Callable[[ops.Tensor, ops.Tensor], ops.Tensor]:
    """Makes a loss of probabilities [n, num_classes] and classes [n] or [n, 1] from one of rows of 0 and 1."""

    def _loss(probs: ops.Tensor, targets: ops.Tensor) -> ops.Tensor:
        targets = math_ops.cast(targets, dtypes.int32)
        if targets.get_shape().ndims == 2:
            targets = array_ops.squeeze(targets, axis=[1])
        rows = array_ops.one_hot(targets, num_classes, dtype=dtypes.float32)
        return loss_fn(rows, probs)

    return _loss


class TrainingLossForest(RandomForestGraphs):
    """A forest whose loss is that of its predictions.

    Args:
        params: ForestHParams, filled in.
        loss_fn: `f(predictions, labels)`, a scalar; by default the mean squared error of a regression, and the log loss
            of classes.
        **kwargs: for RandomForestGraphs.
    """

    def __init__(
        self,
        params: ForestHParams,
        loss_fn: Callable[[ops.Tensor, ops.Tensor], ops.Tensor] | None = None,
        **kwargs: object,
    ):
        self.loss_fn = loss_fn or self._default_loss(params)
        self._loss: ops.Tensor | None = None
        super().__init__(params, **kwargs)

    @staticmethod
    def _default_loss(
        params: ForestHParams,
    ) -> Callable[[ops.Tensor, ops.Tensor], ops.Tensor]:
        if params.regression:
            return _squared_error
        return one_hot_wrapper(params.num_classes, losses.log_loss)

    def _get_loss(self, features: TensorTree, labels: TensorTree) -> ops.Tensor:
        """Makes the loss once, so that training and validation share it."""
        if self._loss is None:
            predictions, _, _ = self.inference_graph(features)
            known = data_ops.ParseLabelTensorOrDict(labels)
            self._loss = self.loss_fn(predictions, known)
        return self._loss

    def training_graph(
        self,
        input_data: TensorTree,
        input_labels: TensorTree,
        num_trainers: int = 1,
        trainer_id: int = 0,
        **tree_kwargs: TensorLike | None,
    ) -> ops.Operation:
        """As in RandomForestGraphs; the loss is computed before the trees change."""
        loss = self._get_loss(input_data, input_labels)
        with ops.control_dependencies([loss.op]):
            return super().training_graph(
                input_data, input_labels, num_trainers, trainer_id, **tree_kwargs
            )

    def training_loss(
        self, features: TensorTree, labels: TensorTree, name: str = "training_loss"
    ) -> ops.Tensor:
        """The loss of the predictions: float []."""
        return array_ops.identity(self._get_loss(features, labels), name=name)

    def validation_loss(self, features: TensorTree, labels: TensorTree) -> ops.Tensor:
        """The same as `training_loss`."""
        return array_ops.identity(self._get_loss(features, labels))


def _squared_error(predictions: ops.Tensor, labels: ops.Tensor) -> ops.Tensor:
    """The mean squared error; labels of one output may be [n]."""
    return losses.mean_squared_error(
        array_ops.reshape(labels, array_ops.shape(predictions)), predictions
    )
