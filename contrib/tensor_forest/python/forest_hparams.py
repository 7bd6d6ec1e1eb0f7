# SPDX-License-Identifier: Apache-2.0
"""The parameters of a forest, and their message."""

from __future__ import annotations

import math
import numbers
import random
from typing import TYPE_CHECKING, Any

from google.protobuf import text_format

from tensorwright.contrib.decision_trees.proto import (
    generic_tree_model_pb2 as _tree_proto,
)
from tensorwright.contrib.tensor_forest.proto import (
    tensor_forest_params_pb2 as _params_proto,
)
from tensorwright.python.platform import gfile

if TYPE_CHECKING:
    from google.protobuf.message import Message

CLASSIFICATION_LEAF_MODEL_TYPES = {
    "all_dense": (
        _params_proto.MODEL_DENSE_CLASSIFICATION,
        _params_proto.STATS_DENSE_GINI,
    ),
    "all_sparse": (
        _params_proto.MODEL_SPARSE_CLASSIFICATION,
        _params_proto.STATS_SPARSE_GINI,
    ),
    "sparse_then_dense": (
        _params_proto.MODEL_SPARSE_OR_DENSE_CLASSIFICATION,
        _params_proto.STATS_SPARSE_THEN_DENSE_GINI,
    ),
}
REGRESSION_MODEL_TYPE = (
    _params_proto.MODEL_REGRESSION,
    _params_proto.STATS_LEAST_SQUARES_REGRESSION,
    _params_proto.COLLECTION_BASIC,
)
FINISH_TYPES = {
    "basic": _params_proto.SPLIT_FINISH_BASIC,
    "hoeffding": _params_proto.SPLIT_FINISH_DOMINATE_HOEFFDING,
    "bootstrap": _params_proto.SPLIT_FINISH_DOMINATE_BOOTSTRAP,
}
PRUNING_TYPES = {
    "none": _params_proto.SPLIT_PRUNE_NONE,
    "half": _params_proto.SPLIT_PRUNE_HALF,
    "quarter": _params_proto.SPLIT_PRUNE_QUARTER,
    "10_percent": _params_proto.SPLIT_PRUNE_10_PERCENT,
    "hoeffding": _params_proto.SPLIT_PRUNE_HOEFFDING,
}
SPLIT_TYPES = {
    "less_or_equal": _tree_proto.InequalityTest.LESS_OR_EQUAL,
    "less": _tree_proto.InequalityTest.LESS_THAN,
}


def parse_number_or_string_to_proto(
    proto: Message, param: numbers.Number | float | str
) -> None:
    """Fills in a DepthDependentParam.

    Args:
        proto: the message.
        param: a number, the digits of one, or the message in protobuf's text format, as `linear {slope: 2}`.
    """
    if isinstance(param, numbers.Number):
        setattr(proto, "constant_value", param)
    elif str(param).isdigit():
        setattr(proto, "constant_value", int(str(param)))
    else:
        text_format.Merge(str(param), proto)


def build_params_proto(params: ForestHParams) -> Message:
    """The TensorForestParams of parameters that were filled in, with those of `param_file` over them."""
    proto = _params_proto.TensorForestParams()
    proto.num_trees = params.num_trees
    proto.max_nodes = params.max_nodes
    proto.is_regression = params.regression
    proto.num_outputs = params.num_classes
    proto.num_features = params.num_features
    proto.leaf_type = params.leaf_model_type
    proto.stats_type = params.stats_model_type
    proto.collection_type = _params_proto.COLLECTION_BASIC
    proto.pruning_type.type = params.pruning_type
    proto.finish_type.type = params.finish_type
    proto.inequality_test_type = params.split_type
    proto.drop_final_class = False
    proto.collate_examples = params.collate_examples
    proto.checkpoint_stats = params.checkpoint_stats
    proto.use_running_stats_method = params.use_running_stats_method
    proto.initialize_average_splits = params.initialize_average_splits
    proto.inference_tree_paths = params.inference_tree_paths
    for message, value in (
        (proto.pruning_type.prune_every_samples, params.prune_every_samples),
        (proto.finish_type.check_every_steps, params.early_finish_check_every_samples),
        (proto.split_after_samples, params.split_after_samples),
        (proto.num_splits_to_consider, params.num_splits_to_consider),
    ):
        parse_number_or_string_to_proto(message, value)
    proto.dominate_fraction.constant_value = params.dominate_fraction
    if params.param_file:
        with gfile.Open(params.param_file) as file:
            text_format.Merge(file.read(), proto)
    return proto


def _one_of(name: str, value: Any, table: dict[str, Any]) -> Any:
    if value not in table:
        raise ValueError(
            f"ForestHParams: {name} must be one of {sorted(table)}, got {value!r}"
        )
    return table[value]


class ForestHParams:
    """The parameters of a forest; `fill` derives the others from those that were given.

    Args:
        num_trees: how many trees there are.
        max_nodes: how many nodes a tree has at most, leaves among them.
        bagging_fraction: the part of each batch that a tree is trained with, drawn for each tree.
        num_splits_to_consider: the candidates of a leaf for its split; a number, or a DepthDependentParam as text;
            0: max(10, sqrt(num_features)), at most 1000.
        feature_bagging_fraction: the part of the features that a tree sees, drawn for each tree when `fill` is called.
        max_fertile_nodes, valid_leaf_threshold, dominate_method: kept, and not used, as in TensorFlow since 1.3:
            `split_finish_name` says how leaves finish early.
        split_after_samples: the weight of the examples after which a leaf is split; like num_splits_to_consider.
        dominate_fraction: how sure it must be that a candidate is better than another, in (0, 1).
        model_name: "all_dense", "all_sparse" or "sparse_then_dense": how weights of classes are saved.
        split_finish_name: "basic", or how a leaf may be split sooner: "hoeffding" by Hoeffding's bound, "bootstrap" by
            samples of its examples.
        split_pruning_name: which candidates are given up: "none", the worst "half", "quarter" or "10_percent", or,
            "hoeffding", those that are worse than the best by Hoeffding's bound.
        prune_every_samples, early_finish_check_every_samples: the weights of examples between two prunings, and between
            two comparisons of the best candidates; 0: half of split_after_samples.
        collate_examples, use_running_stats_method: kept: neither changes a result.
        checkpoint_stats: checkpoints have the statistics of leaves too, so a forest that is restored grows as the one
            that was saved.
        initialize_average_splits: a threshold lies between two examples, and is not the value of one.
        inference_tree_paths: `inference_graph` gives the path of each example.
        param_file: a file of a TensorForestParams in protobuf's text format, over the other parameters.
        split_name: "less_or_equal" or "less": the test that sends an example left.
        **kwargs: `num_classes`, for a regression the number of outputs, and `num_features`, which must be given;
            `regression`; `base_random_seed`: tree i has this seed plus i, 0: others in every run. Any other name becomes
            an attribute.
    """

    # Given by keyword.
    num_classes: int
    num_features: int

    def __init__(
        self,
        num_trees: int = 100,
        max_nodes: int = 10000,
        bagging_fraction: float = 1.0,
        num_splits_to_consider: float | str = 0,
        feature_bagging_fraction: float = 1.0,
        max_fertile_nodes: int = 0,
        split_after_samples: float | str = 250,
        valid_leaf_threshold: int = 1,
        dominate_method: str = "bootstrap",
        dominate_fraction: float = 0.99,
        model_name: str = "all_dense",
        split_finish_name: str = "basic",
        split_pruning_name: str = "none",
        prune_every_samples: float | str = 0,
        early_finish_check_every_samples: float | str = 0,
        collate_examples: bool = False,
        checkpoint_stats: bool = False,
        use_running_stats_method: bool = False,
        initialize_average_splits: bool = False,
        inference_tree_paths: bool = False,
        param_file: str | None = None,
        split_name: str = "less_or_equal",
        **kwargs: object,
    ):
        self.num_trees = num_trees
        self.max_nodes = max_nodes
        self.bagging_fraction = bagging_fraction
        self.feature_bagging_fraction = feature_bagging_fraction
        self.num_splits_to_consider = num_splits_to_consider
        self.max_fertile_nodes = max_fertile_nodes
        self.split_after_samples = split_after_samples
        self.valid_leaf_threshold = valid_leaf_threshold
        self.dominate_method = dominate_method
        self.dominate_fraction = dominate_fraction
        self.model_name = model_name
        self.split_finish_name = split_finish_name
        self.split_pruning_name = split_pruning_name
        self.prune_every_samples = prune_every_samples
        self.early_finish_check_every_samples = early_finish_check_every_samples
        self.collate_examples = collate_examples
        self.checkpoint_stats = checkpoint_stats
        self.use_running_stats_method = use_running_stats_method
        self.initialize_average_splits = initialize_average_splits
        self.inference_tree_paths = inference_tree_paths
        self.param_file = param_file
        self.split_name = split_name
        for name, value in kwargs.items():
            setattr(self, name, value)

    def values(self) -> dict[str, object]:
        """All parameters by their names."""
        return self.__dict__

    def fill(self) -> ForestHParams:
        """Derives what was not given, and returns the parameters.

        Raises:
            AttributeError: num_classes or num_features is absent.
            ValueError: a parameter is out of range, or names nothing; the message has the parameter.
        """
        for name in ("num_classes", "num_features"):
            if not hasattr(self, name):
                raise AttributeError(f"ForestHParams: {name} must be given")
        for name in ("num_trees", "max_nodes", "num_classes", "num_features"):
            value = getattr(self, name)
            if value < 1:
                raise ValueError(
                    f"ForestHParams: {name} must be positive, got {value!r}"
                )
        for name in ("bagging_fraction", "feature_bagging_fraction"):
            value = getattr(self, name)
            if not 0 < value <= 1:
                raise ValueError(
                    f"ForestHParams: {name} must be in (0, 1], got {value!r}"
                )
        if not 0 < self.dominate_fraction < 1:
            raise ValueError(f"ForestHParams: dominate_fraction must be in (0, 1), got {self.dominate_fraction!r}")  # fmt: skip # noqa: E501
        self.base_random_seed = int(getattr(self, "base_random_seed", 0))
        self._fill_bags()
        self.regression = bool(getattr(self, "regression", False))
        self.num_outputs = self.num_classes if self.regression else 1
        self.num_output_columns = self.num_classes + 1
        self.num_splits_to_consider = self.num_splits_to_consider or min(max(10, math.floor(math.sqrt(self.num_features))), 1000)  # fmt: skip # noqa: E501
        model = _one_of("model_name", self.model_name, CLASSIFICATION_LEAF_MODEL_TYPES)
        if self.regression:
            model = REGRESSION_MODEL_TYPE[:2]
        self.leaf_model_type, self.stats_model_type = model
        self._fill_strategies()
        self.split_type = _one_of("split_name", self.split_name, SPLIT_TYPES)
        return self

    def _fill_bags(self) -> None:
        self.bagged_num_features = int(
            self.feature_bagging_fraction * self.num_features
        )
        self.bagged_features: list[list[int]] | None = None
        if self.feature_bagging_fraction < 1.0:
            if self.bagged_num_features < 1:
                raise ValueError(
                    f"ForestHParams: feature_bagging_fraction {self.feature_bagging_fraction!r} leaves none of "
                    f"{self.num_features} features"
                )
            # A seed of the forest's makes its bags repeat, too.
            draws = random.Random(self.base_random_seed or None)
            features = range(self.num_features)
            self.bagged_features = [
                draws.sample(features, self.bagged_num_features)
                for _ in range(self.num_trees)
            ]

    def _fill_strategies(self) -> None:
        finish = _one_of("split_finish_name", self.split_finish_name, FINISH_TYPES)
        self.finish_type = FINISH_TYPES["basic"] if self.regression else finish
        self.pruning_type = _one_of(
            "split_pruning_name", self.split_pruning_name, PRUNING_TYPES
        )
        if self.regression and self.split_pruning_name == "hoeffding":
            raise ValueError("ForestHParams: split_pruning_name must not be 'hoeffding' for a regression, whose errors have no bound")  # fmt: skip # noqa: E501
        if self.split_pruning_name == "none":
            self.prune_every_samples = 0
        else:
            self.prune_every_samples = self._or_half("prune_every_samples")
        if self.finish_type == FINISH_TYPES["basic"]:
            self.early_finish_check_every_samples = 0
        else:
            name = "early_finish_check_every_samples"
            self.early_finish_check_every_samples = self._or_half(name)

    def _or_half(self, name: str) -> float | str:
        """The parameter, or half of split_after_samples if it is 0."""
        value = getattr(self, name)
        if value:
            return value
        after = self.split_after_samples
        if isinstance(after, str) and not after.isdigit():
            raise ValueError(
                f"ForestHParams: {name} must be given where split_after_samples depends on the depth: {after!r}"
            )
        return int(after) / 2
