// SPDX-License-Identifier: Apache-2.0
// Examples and SequenceExamples as tensors.

#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// Sets the outputs from *next on to `n` sparse tensors: all indices, all
// values, all shapes.
void SetSparse(InferenceContext* c, int64_t n, DimensionHandle rank,
               int* next) {
  for (int64_t i = 0; i < n; ++i) {
    c->set_output((*next)++, c->Matrix(c->UnknownDim(), rank));
  }
  for (int64_t i = 0; i < n; ++i) {
    c->set_output((*next)++, c->Vector(c->UnknownDim()));
  }
  for (int64_t i = 0; i < n; ++i) c->set_output((*next)++, c->Vector(rank));
}

void SetSparse(InferenceContext* c, int64_t n, int64_t rank, int* next) {
  SetSparse(c, n, c->MakeDim(rank), next);
}

// Sets the outputs of dense features: `prefix` and their shapes.
Status SetDense(InferenceContext* c, const char* attr, ShapeHandle prefix,
                size_t types, int* next) {
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr(attr, &shapes));
  if (shapes.size() != types) {
    return errors::InvalidArgument(attr, " has ", shapes.size(), " shapes for ",
                                   types, " types");
  }
  for (const PartialTensorShape& shape : shapes) {
    ShapeHandle own, out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &own));
    TF_RETURN_IF_ERROR(c->Concatenate(prefix, own, &out));
    c->set_output((*next)++, out);
  }
  return OkStatus();
}

Status RequireScalars(InferenceContext* c, int begin, int end) {
  ShapeHandle unused;
  for (int i = begin; i < end; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return OkStatus();
}

Status SizeOf(InferenceContext* c, const char* attr, size_t* size) {
  DataTypeVector types;
  TF_RETURN_IF_ERROR(c->GetAttr(attr, &types));
  *size = types.size();
  return OkStatus();
}

// Reads how many types an attr has, of which another says the number too.
Status CountOf(InferenceContext* c, const char* count, const char* types,
               size_t* size) {
  TF_RETURN_IF_ERROR(SizeOf(c, types, size));
  int64_t n = 0;
  TF_RETURN_IF_ERROR(c->GetAttr(count, &n));
  if (n != static_cast<int64_t>(*size)) {
    return errors::InvalidArgument(count, " is ", n, ", but there are ", *size,
                                   " ", types);
  }
  return OkStatus();
}

Status ParseExampleShape(InferenceContext* c) {
  size_t sparse = 0, dense = 0;
  TF_RETURN_IF_ERROR(CountOf(c, "Nsparse", "sparse_types", &sparse));
  TF_RETURN_IF_ERROR(CountOf(c, "Ndense", "Tdense", &dense));
  ShapeHandle batch, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &batch));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(
      RequireScalars(c, 2, 2 + static_cast<int>(sparse + dense)));
  int next = 0;
  SetSparse(c, static_cast<int64_t>(sparse), 2, &next);
  return SetDense(c, "dense_shapes", batch, dense, &next);
}

Status ParseSingleExampleShape(InferenceContext* c) {
  size_t sparse = 0, dense = 0;
  TF_RETURN_IF_ERROR(SizeOf(c, "sparse_types", &sparse));
  TF_RETURN_IF_ERROR(SizeOf(c, "Tdense", &dense));
  int64_t num_sparse = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("num_sparse", &num_sparse));
  if (num_sparse != static_cast<int64_t>(sparse)) {
    return errors::InvalidArgument("ParseSingleExample: num_sparse is ",
                                   num_sparse, ", but there are ", sparse,
                                   " sparse_types");
  }
  std::vector<std::string> sparse_keys, dense_keys;
  TF_RETURN_IF_ERROR(c->GetAttr("sparse_keys", &sparse_keys));
  TF_RETURN_IF_ERROR(c->GetAttr("dense_keys", &dense_keys));
  if (sparse_keys.size() != sparse || dense_keys.size() != dense) {
    return errors::InvalidArgument(
        "ParseSingleExample: sparse_keys must be as many as sparse_types, and "
        "dense_keys as Tdense, got ",
        sparse_keys.size(), " of ", sparse, " and ", dense_keys.size(), " of ",
        dense);
  }
  TF_RETURN_IF_ERROR(RequireScalars(c, 0, 1));
  int next = 0;
  SetSparse(c, num_sparse, 1, &next);
  return SetDense(c, "dense_shapes", c->Scalar(), dense, &next);
}

// serialized: [] or [batch].
Status ParseExampleV2Shape(InferenceContext* c) {
  size_t sparse = 0, dense = 0, ragged = 0;
  TF_RETURN_IF_ERROR(SizeOf(c, "sparse_types", &sparse));
  TF_RETURN_IF_ERROR(SizeOf(c, "Tdense", &dense));
  TF_RETURN_IF_ERROR(SizeOf(c, "ragged_value_types", &ragged));
  int64_t num_sparse = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("num_sparse", &num_sparse));
  if (num_sparse != static_cast<int64_t>(sparse)) {
    return errors::InvalidArgument("ParseExampleV2: num_sparse is ", num_sparse,
                                   ", but there are ", sparse, " sparse_types");
  }
  ShapeHandle batch, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &batch));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &unused));
  for (int i = 2; i < 5; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  }
  const bool known = c->RankKnown(batch);
  const bool single = known && c->Rank(batch) == 0;
  int next = 0;
  SetSparse(c, num_sparse, known ? c->MakeDim(single ? 1 : 2) : c->UnknownDim(),
            &next);
  TF_RETURN_IF_ERROR(SetDense(c, "dense_shapes", batch, dense, &next));
  for (size_t i = 0; i < ragged; ++i) {
    c->set_output(next++, c->Vector(c->UnknownDim()));
  }
  for (size_t i = 0; i < ragged; ++i) {
    DimensionHandle splits = c->UnknownDim();
    if (single) {
      splits = c->MakeDim(0);
    } else if (known) {
      TF_RETURN_IF_ERROR(c->Add(c->Dim(batch, 0), 1, &splits));
    }
    c->set_output(next++, c->Vector(splits));
  }
  return OkStatus();
}

struct SequenceSizes {
  size_t sparse = 0, dense = 0, list_sparse = 0, list_dense = 0;
};

Status SequenceSizesOf(InferenceContext* c, SequenceSizes* sizes) {
  const struct {
    const char* count;
    const char* types;
    size_t* size;
  } kinds[] = {
      {"Ncontext_sparse", "context_sparse_types", &sizes->sparse},
      {"Ncontext_dense", "Tcontext_dense", &sizes->dense},
      {"Nfeature_list_sparse", "feature_list_sparse_types",
       &sizes->list_sparse},
      {"Nfeature_list_dense", "feature_list_dense_types", &sizes->list_dense},
  };
  for (const auto& kind : kinds) {
    // ParseSequenceExampleV2 has no count of its dense contexts.
    TF_RETURN_IF_ERROR(c->attrs().Find(kind.count) == nullptr
                           ? SizeOf(c, kind.types, kind.size)
                           : CountOf(c, kind.count, kind.types, kind.size));
  }
  return OkStatus();
}

Status ParseSingleSequenceExampleShape(InferenceContext* c) {
  SequenceSizes sizes;
  TF_RETURN_IF_ERROR(SequenceSizesOf(c, &sizes));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(RequireScalars(c, 0, 1));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  const int keys = static_cast<int>(sizes.sparse + sizes.dense +
                                    sizes.list_sparse + sizes.list_dense);
  TF_RETURN_IF_ERROR(RequireScalars(c, 2, 2 + keys));
  TF_RETURN_IF_ERROR(RequireScalars(c, c->num_inputs() - 1, c->num_inputs()));
  int next = 0;
  SetSparse(c, static_cast<int64_t>(sizes.sparse), 1, &next);
  TF_RETURN_IF_ERROR(
      SetDense(c, "context_dense_shapes", c->Scalar(), sizes.dense, &next));
  SetSparse(c, static_cast<int64_t>(sizes.list_sparse), 2, &next);
  return SetDense(c, "feature_list_dense_shapes", c->Vector(c->UnknownDim()),
                  sizes.list_dense, &next);
}

// serialized: [batch].
Status ParseSequenceExampleShape(InferenceContext* c) {
  SequenceSizes sizes;
  TF_RETURN_IF_ERROR(SequenceSizesOf(c, &sizes));
  ShapeHandle batch, frames, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &batch));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &unused));
  int next = 0;
  SetSparse(c, static_cast<int64_t>(sizes.sparse), 2, &next);
  TF_RETURN_IF_ERROR(
      SetDense(c, "context_dense_shapes", batch, sizes.dense, &next));
  SetSparse(c, static_cast<int64_t>(sizes.list_sparse), 3, &next);
  TF_RETURN_IF_ERROR(
      c->Concatenate(batch, c->Vector(c->UnknownDim()), &frames));
  TF_RETURN_IF_ERROR(SetDense(c, "feature_list_dense_shapes", frames,
                              sizes.list_dense, &next));
  for (size_t i = 0; i < sizes.list_dense; ++i) c->set_output(next++, batch);
  return OkStatus();
}

// serialized: [] or [batch]; if its rank is unknown, only ranks are known, and
// nothing of dense features.
Status ParseSequenceExampleV2Shape(InferenceContext* c) {
  SequenceSizes sizes;
  TF_RETURN_IF_ERROR(SequenceSizesOf(c, &sizes));
  size_t ragged = 0, list_ragged = 0;
  TF_RETURN_IF_ERROR(SizeOf(c, "context_ragged_value_types", &ragged));
  TF_RETURN_IF_ERROR(
      SizeOf(c, "feature_list_ragged_value_types", &list_ragged));
  ShapeHandle batch, frames, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &batch));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &unused));
  for (int i = 2; i < 9; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  }
  DimensionHandle splits = c->UnknownDim();
  DimensionHandle rank = c->UnknownDim(), list_rank = c->UnknownDim();
  if (c->RankKnown(batch)) {
    rank = c->MakeDim(c->Rank(batch) + 1);
    list_rank = c->MakeDim(c->Rank(batch) + 2);
    if (c->Rank(batch) == 0) {
      splits = c->MakeDim(0);
    } else {
      TF_RETURN_IF_ERROR(c->Add(c->Dim(batch, 0), 1, &splits));
    }
  }
  int next = 0;
  const auto set_vectors = [&](size_t n, DimensionHandle size) {
    for (; n > 0; --n) c->set_output(next++, c->Vector(size));
  };
  SetSparse(c, static_cast<int64_t>(sizes.sparse), rank, &next);
  TF_RETURN_IF_ERROR(
      SetDense(c, "context_dense_shapes", batch, sizes.dense, &next));
  set_vectors(ragged, c->UnknownDim());
  set_vectors(ragged, splits);
  SetSparse(c, static_cast<int64_t>(sizes.list_sparse), list_rank, &next);
  TF_RETURN_IF_ERROR(
      c->Concatenate(batch, c->Vector(c->UnknownDim()), &frames));
  TF_RETURN_IF_ERROR(SetDense(c, "feature_list_dense_shapes", frames,
                              sizes.list_dense, &next));
  for (size_t i = 0; i < sizes.list_dense; ++i) c->set_output(next++, batch);
  set_vectors(list_ragged, c->UnknownDim());
  set_vectors(list_ragged, splits);
  set_vectors(list_ragged, c->UnknownDim());
  return OkStatus();
}

}  // namespace

REGISTER_OP("ParseExample")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: Nsparse * string")
    .Input("dense_keys: Ndense * string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: Nsparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: Nsparse * int64")
    .Output("dense_values: Tdense")
    .Attr("Nsparse: int >= 0")
    .Attr("Ndense: int >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .SetShapeFn(ParseExampleShape)
    .Doc(
        "Features of serialized Examples [batch]: sparse ones as indices "
        "[n, 2], values [n] and shape [2], dense ones as [batch, shape...]; "
        "dense_defaults stand in for what is missing, or, empty, make it an "
        "error.");

REGISTER_OP("ParseExampleV2")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: string")
    .Input("dense_keys: string")
    .Input("ragged_keys: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Output("ragged_values: ragged_value_types")
    .Output("ragged_row_splits: ragged_split_types")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("ragged_value_types: list({float, int64, string}) >= 0")
    .Attr("ragged_split_types: list({int32, int64}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .SetShapeFn(ParseExampleV2Shape)
    .Doc(
        "Features of serialized Examples, [batch] or one, []: sparse, dense, "
        "and ragged ones, values [n] and row splits [batch + 1].");

REGISTER_OP("ParseSingleExample")
    .Input("serialized: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .SetShapeFn(ParseSingleExampleShape)
    .Doc(
        "Features of one serialized Example []: sparse ones as indices [n, 1], "
        "values [n] and shape [1], dense ones as their shapes say.");

REGISTER_OP("ParseSingleSequenceExample")
    .Input("serialized: string")
    .Input("feature_list_dense_missing_assumed_empty: string")
    .Input("context_sparse_keys: Ncontext_sparse * string")
    .Input("context_dense_keys: Ncontext_dense * string")
    .Input("feature_list_sparse_keys: Nfeature_list_sparse * string")
    .Input("feature_list_dense_keys: Nfeature_list_dense * string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Input("debug_name: string")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Ncontext_dense: int >= 0 = 0")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .SetShapeFn(ParseSingleSequenceExampleShape)
    .Doc(
        "Context and feature lists of one serialized SequenceExample []: lists "
        "as sparse tensors [frames, most values], or dense ones [frames, "
        "shape...].");

REGISTER_OP("ParseSequenceExample")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
    .Attr("context_sparse_keys: list(string) >= 0")
    .Attr("context_dense_keys: list(string) >= 0")
    .Attr("feature_list_sparse_keys: list(string) >= 0")
    .Attr("feature_list_dense_keys: list(string) >= 0")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Ncontext_dense: int >= 0 = 0")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .SetShapeFn(ParseSequenceExampleShape)
    .Doc(
        "Context and feature lists of serialized SequenceExamples [batch]: "
        "lists as sparse tensors [batch, most frames, most values], "
        "or dense ones [batch, most frames, shape...] with zeros behind the "
        "frames of each, and their lengths [batch].");

REGISTER_OP("ParseSequenceExampleV2")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_sparse_keys: string")
    .Input("context_dense_keys: string")
    .Input("context_ragged_keys: string")
    .Input("feature_list_sparse_keys: string")
    .Input("feature_list_dense_keys: string")
    .Input("feature_list_ragged_keys: string")
    .Input("feature_list_dense_missing_assumed_empty: bool")
    .Input("context_dense_defaults: Tcontext_dense")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("context_ragged_values: context_ragged_value_types")
    .Output("context_ragged_row_splits: context_ragged_split_types")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Output("feature_list_ragged_values: feature_list_ragged_value_types")
    .Output("feature_list_ragged_outer_splits: feature_list_ragged_split_types")
    .Output("feature_list_ragged_inner_splits: feature_list_ragged_split_types")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_ragged_value_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_ragged_split_types: list({int32, int64}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr(
        "feature_list_ragged_value_types: "
        "list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_ragged_split_types: list({int32, int64}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .SetShapeFn(ParseSequenceExampleV2Shape)
    .Doc(
        "Context and feature lists of serialized SequenceExamples, [batch] or "
        "one, []: as ParseSequenceExample has them, and ragged ones: values "
        "[n] with the splits of examples [batch + 1], of lists outer splits "
        "[batch + 1] of frames and inner splits [frames + 1] of values.  One "
        "example has no splits of examples: [0].");

}  // namespace tensorwright
