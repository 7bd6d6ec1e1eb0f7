// SPDX-License-Identifier: Apache-2.0
// Sparse tensors as strings and numbers, for queues; crosses of features.

#include <cstdint>
#include <vector>

#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/sparse_ops_shape.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status SerializeSparseShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  c->set_output(0, c->Vector(3));
  return OkStatus();
}

Status SerializeManySparseShape(InferenceContext* c) {
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  c->set_output(0, c->Matrix(c->UnknownDim(), 3));
  return OkStatus();
}

Status DeserializeSparseShape(InferenceContext* c) {
  ShapeHandle in;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(in, -1), 3, &unused));
  SparseOutputShape(c, 0, InferenceContext::kUnknownDim,
                    InferenceContext::kUnknownDim);
  return OkStatus();
}

Status DeserializeManySparseShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  return DeserializeSparseShape(c);
}

Status AddSparseShape(InferenceContext* c) {
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status AddManySparseShape(InferenceContext* c) {
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

Status TakeManySparseShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  SparseOutputShape(c, 0, InferenceContext::kUnknownDim,
                    InferenceContext::kUnknownDim);
  return OkStatus();
}

Status SparseCrossShape(InferenceContext* c) {
  SparseOutputShape(c, 0, InferenceContext::kUnknownDim, 2);
  return OkStatus();
}

}  // namespace

REGISTER_OP("SerializeSparse")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("serialized_sparse: out_type")
    .Attr("T: type")
    .Attr("out_type: {string, variant} = DT_STRING")
    .SetShapeFn(SerializeSparseShape)
    .Doc(
        "A sparse tensor as three tensors, serialized TensorProtos or "
        "variants: -> [3].");

REGISTER_OP("SerializeManySparse")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("serialized_sparse: out_type")
    .Attr("T: type")
    .Attr("out_type: {string, variant} = DT_STRING")
    .SetShapeFn(SerializeManySparseShape)
    .Doc(
        "Each row (the first dimension) of a sparse tensor, serialized as "
        "by SerializeSparse: -> [rows, 3].");

REGISTER_OP("DeserializeSparse")
    .Input("serialized_sparse: Tserialized")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("Tserialized: {string, variant} = DT_STRING")
    .Needs("unbounded memory")
    .SetShapeFn(DeserializeSparseShape)
    .Doc(
        "What SerializeSparse made, as one sparse tensor: [..., 3] -> a "
        "sparse tensor [..., largest sizes].");

REGISTER_OP("DeserializeManySparse")
    .Input("serialized_sparse: string")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Needs("unbounded memory")
    .SetShapeFn(DeserializeManySparseShape)
    .Doc(
        "What SerializeManySparse made, as one sparse tensor: [rows, 3] -> "
        "a sparse tensor [rows, largest sizes].");

REGISTER_OP("AddSparseToTensorsMap")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("sparse_handle: int64")
    .Attr("T: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(AddSparseShape)
    .Doc("Keeps a sparse tensor in a map under a number: -> [].");

REGISTER_OP("AddManySparseToTensorsMap")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("sparse_handles: int64")
    .Attr("T: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(AddManySparseShape)
    .Doc(
        "Keeps each row (the first dimension) of a sparse tensor in a map "
        "under a number: -> [rows].");

REGISTER_OP("TakeManySparseFromTensorsMap")
    .Input("sparse_handles: int64")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(TakeManySparseShape)
    .Doc(
        "Takes sparse tensors out of a map and joins them as rows: [rows] "
        "-> a sparse tensor [rows, largest sizes].");

REGISTER_OP("SparseCross")
    .Input("indices: N * int64")
    .Input("values: sparse_types")
    .Input("shapes: N * int64")
    .Input("dense_inputs: dense_types")
    .Output("output_indices: int64")
    .Output("output_values: out_type")
    .Output("output_shape: int64")
    .Attr("N: int >= 0")
    .Attr("hashed_output: bool")
    .Attr("num_buckets: int >= 0")
    .Attr("hash_key: int")
    .Attr("sparse_types: list({int64, string}) >= 0")
    .Attr("dense_types: list({int64, string}) >= 0")
    .Attr("out_type: {int64, string}")
    .Attr("internal_type: {int64, string}")
    .SetShapeFn(SparseCrossShape)
    .Doc(
        "For each row of a batch, all combinations of a feature of each "
        "input: joined with _X_, or hashed from hash_key on, modulo "
        "num_buckets unless that is 0.");

REGISTER_OP("SparseCrossV2")
    .Input("indices: N * int64")
    .Input("values: sparse_types")
    .Input("shapes: N * int64")
    .Input("dense_inputs: dense_types")
    .Input("sep: string")
    .Output("output_indices: int64")
    .Output("output_values: string")
    .Output("output_shape: int64")
    .Attr("N: int >= 0")
    .Attr("sparse_types: list({int64, string}) >= 0")
    .Attr("dense_types: list({int64, string}) >= 0")
    .SetShapeFn(SparseCrossShape)
    .Doc(
        "For each row of a batch, all combinations of a feature of each "
        "input, joined with sep.");

REGISTER_OP("SparseCrossHashed")
    .Input("indices: N * int64")
    .Input("values: sparse_types")
    .Input("shapes: N * int64")
    .Input("dense_inputs: dense_types")
    .Input("num_buckets: int64")
    .Input("strong_hash: bool")
    .Input("salt: int64")
    .Output("output_indices: int64")
    .Output("output_values: int64")
    .Output("output_shape: int64")
    .Attr("N: int >= 0")
    .Attr("sparse_types: list({int64, string}) >= 0")
    .Attr("dense_types: list({int64, string}) >= 0")
    .SetShapeFn(SparseCrossShape)
    .Doc(
        "For each row of a batch, the hashes of all combinations of a "
        "feature of each input, modulo num_buckets unless that is 0.");

}  // namespace tensorwright
