// SPDX-License-Identifier: Apache-2.0
// Datasets that call a function for each element.

#include "core/ops/dataset_ops.h"

namespace tensorwright {

using dataset_ops::DatasetShape;
using shape_inference::InferenceContext;

namespace {

// The last `n` inputs are scalars, after lists of any length.
template <int n>
Status ScalarsAtEnd(InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  for (int i = c->num_inputs() - n; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return shape_inference::ScalarShape(c);
}

}  // namespace

#define FUNCTION_DATASET(name)         \
  REGISTER_OP(name)                    \
      .Input("input_dataset: variant") \
      .Input("other_arguments: Targuments")
#define FUNCTION_OUTPUT(attr)                \
  Output("handle: variant")                  \
      .Attr(attr ": func")                   \
      .Attr("Targuments: list(type) >= 0")   \
      .Attr("output_types: list(type) >= 1") \
      .Attr("output_shapes: list(shape) >= 1")

FUNCTION_DATASET("MapDataset")
    .FUNCTION_OUTPUT("f")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("preserve_cardinality: bool = false")
    .Attr("force_synchronous: bool = false")
    .Attr("metadata: string = ''")
    .SetShapeFn(ScalarsAtEnd<0>)
    .Doc("What f returns for each element of input_dataset.");

FUNCTION_DATASET("ParallelMapDataset")
    .Input("num_parallel_calls: int32")
    .FUNCTION_OUTPUT("f")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("sloppy: bool = false")
    .Attr("preserve_cardinality: bool = false")
    .Attr("metadata: string = ''")
    .Touches("chance unless sloppy=false")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsAtEnd<1>)
    .Doc(
        "MapDataset with up to num_parallel_calls calls of f at a time; the "
        "order is that of input_dataset.");

FUNCTION_DATASET("ParallelMapDatasetV2")
    .Input("num_parallel_calls: int64")
    .FUNCTION_OUTPUT("f")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("deterministic: string = 'default'")
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_unbounded_threadpool: bool = false")
    .Attr("metadata: string = ''")
    .Touches("chance unless deterministic=true|default")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsAtEnd<1>)
    .Doc("ParallelMapDataset; -1 calls are as many as seem right.");

FUNCTION_DATASET("FilterDataset")
    .FUNCTION_OUTPUT("predicate")
    .Attr("metadata: string = ''")
    .SetShapeFn(ScalarsAtEnd<0>)
    .Doc(
        "The elements of input_dataset for which predicate returns true, a "
        "scalar.");

FUNCTION_DATASET("TakeWhileDataset")
    .FUNCTION_OUTPUT("predicate")
    .Attr("metadata: string = ''")
    .SetShapeFn(ScalarsAtEnd<0>)
    .Doc(
        "The elements of input_dataset before the first for which predicate "
        "returns false, a scalar.");

REGISTER_OP("ScanDataset")
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_default_device: bool = true")
    .Attr("metadata: string = ''")
    .SetShapeFn(ScalarsAtEnd<0>)
    .Doc(
        "What f makes of a state and each element of input_dataset: it returns "
        "the next state, then an element.");

FUNCTION_DATASET("FlatMapDataset")
    .FUNCTION_OUTPUT("f")
    .Attr("metadata: string = ''")
    .SetShapeFn(ScalarsAtEnd<0>)
    .Doc(
        "The elements of the datasets that f returns for the elements of "
        "input_dataset, one dataset after the other.");

FUNCTION_DATASET("InterleaveDataset")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .FUNCTION_OUTPUT("f")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsAtEnd<2>)
    .Doc(
        "The elements of the datasets that f returns for the elements of "
        "input_dataset: block_length at a time, of cycle_length datasets in "
        "turn.");

FUNCTION_DATASET("ParallelInterleaveDatasetV2")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("num_parallel_calls: int64")
    .FUNCTION_OUTPUT("f")
    .Attr("sloppy: bool = false")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsAtEnd<3>)
    .Doc(
        "InterleaveDataset, whose datasets are read ahead by up to "
        "num_parallel_calls threads; the order is the same.");

FUNCTION_DATASET("ParallelInterleaveDatasetV3")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("num_parallel_calls: int64")
    .FUNCTION_OUTPUT("f")
    .Attr("deterministic: string = 'default'")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsAtEnd<3>)
    .Doc(
        "ParallelInterleaveDatasetV2; the order is the same whatever "
        "deterministic says, 'true', 'false' or 'default'.");

FUNCTION_DATASET("ParallelInterleaveDatasetV4")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Input("num_parallel_calls: int64")
    .FUNCTION_OUTPUT("f")
    .Attr("deterministic: string = 'default'")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsAtEnd<5>)
    .Doc(
        "ParallelInterleaveDatasetV3 that reads buffer_output_elements ahead "
        "of each dataset; -1 are as many as seem right.");

REGISTER_OP("GroupByWindowDataset")
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input(
        "window_size_func_other_arguments: Twindow_size_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("reduce_func: func")
    .Attr("window_size_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Twindow_size_func_other_arguments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsAtEnd<0>)
    .Doc(
        "Elements with the same key_func (an int64 scalar) are gathered until "
        "they are window_size_func(key); reduce_func makes a dataset of key "
        "and window, whose elements come out.");

}  // namespace tensorwright
