// SPDX-License-Identifier: Apache-2.0
// Datasets made from tensors and from other datasets.  A handle is a scalar
// variant that holds the dataset itself; iterators are resources.

#include "core/ops/dataset_ops.h"

namespace tensorwright {

using dataset_ops::DatasetShape;

// Each dataset op ends with the description of its elements.
#define DATASET_OUTPUT                       \
  Output("handle: variant")                  \
      .Attr("output_types: list(type) >= 1") \
      .Attr("output_shapes: list(shape) >= 1")

REGISTER_OP("TensorDataset")
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .SetIsStateful()
    .SetShapeFn(dataset_ops::TensorDatasetShape)
    .Doc("A dataset of one element, the components.");

REGISTER_OP("TensorSliceDataset")
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("is_files: bool = false")
    .Attr("metadata: string = ''")
    .Attr("replicate_on_split: bool = false")
    .SetIsStateful()
    .SetShapeFn(dataset_ops::TensorSliceDatasetShape)
    .Doc(
        "A dataset whose elements are the slices of the components [n, ...] "
        "along their first dimension.");

REGISTER_OP("SparseTensorSliceDataset")
    .Input("indices: int64")
    .Input("values: Tvalues")
    .Input("dense_shape: int64")
    .Output("handle: variant")
    .Attr("Tvalues: type")
    .SetIsStateful()
    .SetShapeFn(dataset_ops::SparseTensorSliceDatasetShape)
    .Doc(
        "A dataset whose elements are the slices of a sparse tensor, indices "
        "[n, rank], values [n], dense_shape [rank], along its first "
        "dimension: indices [m, rank - 1], values [m], dense_shape "
        "[rank - 1].");

REGISTER_OP("RangeDataset")
    .Input("start: int64")
    .Input("stop: int64")
    .Input("step: int64")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .Attr("replicate_on_split: bool = false")
    .SetIsStateful()
    .SetShapeFn(DatasetShape<0, 1, 2>)
    .Doc("The numbers start, start + step, ... before stop.");

REGISTER_OP("RepeatDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc("input_dataset count times over; for ever if count is negative.");

REGISTER_OP("TakeDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "The first count elements of input_dataset; all of them if count is "
        "negative.");

REGISTER_OP("SkipDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "input_dataset without its first count elements; nothing if count is "
        "negative.");

REGISTER_OP("ShardDataset")
    .Input("input_dataset: variant")
    .Input("num_shards: int64")
    .Input("index: int64")
    .Attr("require_non_empty: bool = false")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .SetShapeFn(DatasetShape<0, 1, 2>)
    .Doc(
        "The elements of input_dataset whose number, modulo num_shards, is "
        "index.");

REGISTER_OP("ConcatenateDataset")
    .Input("input_dataset: variant")
    .Input("another_dataset: variant")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc("input_dataset, then another_dataset.");

REGISTER_OP("ZipDataset")
    .Input("input_datasets: N * variant")
    .DATASET_OUTPUT.Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "The elements of all input_datasets beside each other, until one of "
        "them ends.");

REGISTER_OP("BatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "batch_size elements at a time, as one with a first dimension more; "
        "the last may be shorter.");

REGISTER_OP("BatchDatasetV2")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("drop_remainder: bool")
    .Attr("parallel_copy: bool = false")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1, 2>)
    .Doc("BatchDataset; with drop_remainder, without a shorter last batch.");

REGISTER_OP("ParallelBatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Attr("parallel_copy: bool = false")
    .DATASET_OUTPUT.Attr("deterministic: string = 'default'")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1, 2, 3>)
    .Doc(
        "BatchDatasetV2, whose batches may be made num_parallel_calls at a "
        "time; the order is the same whatever deterministic says.");

REGISTER_OP("PaddedBatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::PaddedBatchDatasetShape)
    .Doc(
        "batch_size elements at a time, each padded with padding_values (N "
        "scalars) to padded_shapes; -1 there is the longest of the batch.");

REGISTER_OP("PaddedBatchDatasetV2")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::PaddedBatchDatasetShape)
    .Doc(
        "PaddedBatchDataset; with drop_remainder, without a shorter last "
        "batch.");

REGISTER_OP("DenseToSparseBatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("row_shape: int64")
    .DATASET_OUTPUT.SetShapeFn(dataset_ops::DenseToSparseBatchDatasetShape)
    .Needs("unbounded memory")
    .Doc(
        "batch_size elements at a time, of one tensor each, as one sparse "
        "tensor whose rows have row_shape; -1 there is the longest of the "
        "batch.");

REGISTER_OP("UnbatchDataset")
    .Input("input_dataset: variant")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .SetShapeFn(DatasetShape<0>)
    .Doc("The slices of each element along the first dimension.");

REGISTER_OP("WindowDataset")
    .Input("input_dataset: variant")
    .Input("size: int64")
    .Input("shift: int64")
    .Input("stride: int64")
    .Input("drop_remainder: bool")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1, 2, 3, 4>)
    .Doc(
        "size elements at a time, every stride-th, as datasets: one for each "
        "component.  A window begins shift elements behind the last one.");

REGISTER_OP("ShuffleDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Attr("reshuffle_each_iteration: bool = true")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1, 2, 3>)
    .Doc(
        "The elements of input_dataset, each drawn at random from the next "
        "buffer_size ones; seeds 0 and 0 stand for others in every process.");

REGISTER_OP("ShuffleAndRepeatDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("count: int64")
    .DATASET_OUTPUT.Attr("reshuffle_each_iteration: bool = true")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1, 2, 3, 4>)
    .Doc("ShuffleDataset, count times over; for ever if count is negative.");

REGISTER_OP("CacheDataset")
    .Input("input_dataset: variant")
    .Input("filename: string")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .Touches("files read")
    .Touches("files written")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "input_dataset, kept by the first whole pass: in memory, or in files "
        "whose names begin with filename, if that is not empty.");

REGISTER_OP("PrefetchDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .DATASET_OUTPUT.Attr("slack_period: int = 0")
    .Attr("legacy_autotune: bool = true")
    .Attr("buffer_size_min: int = 0")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "input_dataset, up to buffer_size elements made ahead in the "
        "background; -1 is as many as seem right.");

REGISTER_OP("IgnoreErrorsDataset")
    .Input("input_dataset: variant")
    .DATASET_OUTPUT.Attr("log_warning: bool = false")
    .SetShapeFn(DatasetShape<0>)
    .Doc("input_dataset without the elements that fail.");

REGISTER_OP("UniqueDataset")
    .Input("input_dataset: variant")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0>)
    .Doc(
        "The elements of input_dataset, int32, int64 or string, each the first "
        "time that it comes.");

REGISTER_OP("RandomDataset")
    .Input("seed: int64")
    .Input("seed2: int64")
    .DATASET_OUTPUT.Attr("metadata: string = ''")
    .SetIsStateful()
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "Random int64 scalars in [0, 2^32), without end; seeds 0 and 0 stand "
        "for others in every process.");

REGISTER_OP("DirectedInterleaveDataset")
    .Input("selector_input_dataset: variant")
    .Input("data_input_datasets: N * variant")
    .DATASET_OUTPUT.Attr("N: int >= 1")
    .Attr("stop_on_empty_dataset: bool = false")
    .SetShapeFn(dataset_ops::DatasetsShape)
    .Doc(
        "The elements of several datasets: of which one the next comes, an "
        "element of selector_input_dataset says, an int64 scalar.");

REGISTER_OP("AssertCardinalityDataset")
    .Input("input_dataset: variant")
    .Input("cardinality: int64")
    .DATASET_OUTPUT.SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "input_dataset, which must have so many elements: the last one fails "
        "otherwise.");

REGISTER_OP("DatasetCardinality")
    .Input("input_dataset: variant")
    .Output("cardinality: int64")
    .Attr("cardinality_options: string = ''")
    .SetShapeFn(DatasetShape<0>)
    .Doc(
        "How many elements a dataset has; -1: it has no end, -2: nobody "
        "knows.");

}  // namespace tensorwright
