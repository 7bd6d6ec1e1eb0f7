// SPDX-License-Identifier: Apache-2.0
// Datasets that are kept in files from program to program, and facts about
// whole datasets.

#include "core/ops/dataset_ops.h"

namespace tensorwright {

using dataset_ops::DatasetShape;

REGISTER_OP("SaveDataset")
    .Input("input_dataset: variant")
    .Input("path: string")
    .Input("shard_func_other_args: Tshard_func_args")
    .Attr("compression: string = ''")
    .Attr("shard_func: func")
    .Attr("use_shard_func: bool = true")
    .Attr("Tshard_func_args: list(type) >= 0")
    .SetIsStateful()
    .Touches("files written")
    .Needs("blocking")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle unused;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
      return c->WithRank(c->input(1), 0, &unused);
    })
    .Doc(
        "Writes the elements of input_dataset to files in the folder path.  "
        "shard_func of an element, an int64 scalar, is the number of its "
        "shard.");

REGISTER_OP("LoadDataset")
    .Input("path: string")
    .Input("reader_func_other_args: Treader_func_args")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("compression: string = ''")
    .Attr("reader_func: func")
    .Attr("Treader_func_args: list(type) >= 0")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0>)
    .Doc(
        "What SaveDataset wrote to path: reader_func makes a dataset of a "
        "dataset whose elements are datasets, the shards.");

REGISTER_OP("SnapshotDatasetV2")
    .Input("input_dataset: variant")
    .Input("path: string")
    .Input("reader_func_other_args: Treader_func_args")
    .Input("shard_func_other_args: Tshard_func_args")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("compression: string = ''")
    .Attr("reader_prefix: string = ''")
    .Attr("writer_prefix: string = ''")
    .Attr("hash_valid: bool = false")
    .Attr("hash: int = 0")
    .Attr("reader_func: func")
    .Attr("shard_func: func")
    .Attr("Treader_func_args: list(type) >= 0")
    .Attr("Tshard_func_args: list(type) >= 0")
    .Attr("metadata: string = ''")
    .Touches("chance")
    .Touches("files read")
    .Touches("files written")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0, 1>)
    .Doc(
        "input_dataset, kept by the first whole pass in a folder of path that "
        "is named after what the dataset is made of.");

REGISTER_OP("DatasetFingerprint")
    .Input("input_dataset: variant")
    .Output("fingerprint: uint64")
    .SetShapeFn(DatasetShape<0>)
    .Doc("A number of what a dataset is made of, the same in every process.");

REGISTER_OP("OptionsDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("serialized_options: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .SetShapeFn(DatasetShape<0>)
    .Doc(
        "input_dataset; serialized_options, a message, say with which threads, "
        "in which order and how far ahead its elements are made.");

}  // namespace tensorwright
