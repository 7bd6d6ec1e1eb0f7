// SPDX-License-Identifier: Apache-2.0
// Checks indices that come as tensors, and finds coordinates for GatherNd and
// ScatterNd.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_INDEX_UTIL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_INDEX_UTIL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "core/framework/bounds_check.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// "[1,0]": the position of the `flat`-th element in a tensor of that shape; ""
// for a scalar.
inline std::string PositionString(const TensorShape& shape, int64_t flat) {
  if (shape.dims() == 0) return "";
  std::vector<int64_t> position(shape.dims());
  for (int d = shape.dims() - 1; d >= 0; --d) {
    position[d] = flat % shape.dim_size(d);
    flat /= shape.dim_size(d);
  }
  return absl::StrCat("[", absl::StrJoin(position, ","), "]");
}

// InvalidArgument unless every index is in [0, limit).
template <typename Index>
Status CheckIndices(const Tensor& indices, int64_t limit,
                    absl::string_view name) {
  const Index* index = indices.base<Index>();
  const int64_t n = indices.NumElements();
  bool good = true;
  for (int64_t i = 0; i < n; ++i) good &= FastBoundsCheck(index[i], limit);
  if (good) return OkStatus();
  for (int64_t i = 0; i < n; ++i) {
    if (FastBoundsCheck(index[i], limit)) continue;
    return errors::InvalidArgument(name, PositionString(indices.shape(), i),
                                   " = ", int64_t{index[i]}, " is not in [0, ",
                                   limit, ")");
  }
  return OkStatus();
}

// The treatment of coordinates outside the tensor: attr bad_indices_policy.
enum class BadIndices { kError, kIgnore };

inline Status ReadBadIndicesPolicy(OpKernelConstruction* ctx,
                                   BadIndices* policy) {
  *policy = BadIndices::kError;
  if (!ctx->HasAttr("bad_indices_policy")) return OkStatus();
  std::string name;
  TF_RETURN_IF_ERROR(ctx->GetAttr("bad_indices_policy", &name));
  if (name == "IGNORE") {
    *policy = BadIndices::kIgnore;
  } else if (!name.empty() && name != "DEFAULT" && name != "ERROR") {
    return errors::InvalidArgument(
        "Bad indices policy must be DEFAULT, ERROR or IGNORE, got ", name);
  }
  return OkStatus();
}

// Finds the slices that rows of coordinates name.
struct CoordinateSpace {
  absl::InlinedVector<int64_t, 8> limits;   // The indexed dimensions.
  absl::InlinedVector<int64_t, 8> strides;  // The stride of each, in slices.
  int64_t slice = 1;                        // The elements of one slice.
};

// For a tensor of that shape whose first `depth` dimensions are indexed.
inline CoordinateSpace MakeCoordinateSpace(const TensorShape& shape,
                                           int64_t depth) {
  CoordinateSpace space;
  space.limits.resize(depth);
  space.strides.resize(depth);
  for (int d = static_cast<int>(depth); d < shape.dims(); ++d) {
    space.slice *= shape.dim_size(d);
  }
  int64_t stride = 1;
  for (int d = static_cast<int>(depth) - 1; d >= 0; --d) {
    space.limits[d] = shape.dim_size(d);
    space.strides[d] = stride;
    stride *= shape.dim_size(d);
  }
  return space;
}

// The number of the slice, or -1 if a coordinate is out of range.
template <typename Index>
int64_t SliceAt(const CoordinateSpace& space, const Index* coordinates) {
  int64_t at = 0;
  for (size_t d = 0; d < space.limits.size(); ++d) {
    if (!FastBoundsCheck(coordinates[d], space.limits[d])) return -1;
    at += coordinates[d] * space.strides[d];
  }
  return at;
}

// slices[i] = SliceAt(row i of indices), which is -1 only if the policy is to
// ignore. `what` names the indexed tensor, for the error.
template <typename Index>
Status SlicesAt(const CoordinateSpace& space, const Tensor& indices,
                const TensorShape& indexed, absl::string_view what,
                BadIndices policy, std::vector<int64_t>* slices) {
  const int64_t depth = static_cast<int64_t>(space.limits.size());
  const int64_t rows = static_cast<int64_t>(slices->size());
  const Index* index = indices.base<Index>();
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t at = SliceAt(space, index + i * depth);
    (*slices)[i] = at;
    if (at >= 0 || policy == BadIndices::kIgnore) continue;
    TensorShape rows_shape = indices.shape();
    rows_shape.RemoveLastDims(1);
    return errors::InvalidArgument(
        "indices", PositionString(rows_shape, i), " = [",
        absl::StrJoin(absl::MakeConstSpan(index + i * depth, depth), ", "),
        "] does not index into ", what, " shape ", indexed.DebugString());
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_INDEX_UTIL_H_
