// SPDX-License-Identifier: Apache-2.0
// InferenceContext: requirements on shapes, and the parts that two of them have
// in common, also for shapes behind resource handles.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/shape_inference.h"
#include "core/framework/shape_inference_internal.h"

namespace tensorwright {
namespace shape_inference {

// ---- Requirements ----------------------------------------------------------

Status InferenceContext::WithRank(ShapeHandle shape, int64_t rank,
                                  ShapeHandle* out) {
  *out = ShapeHandle();
  if (!RankKnown(shape)) {
    // Making *out remembers the rank; the input itself is only known better if
    // the caller merges it back.
    *out = UnknownShapeOfRank(rank);
    return OkStatus();
  }
  if (Rank(shape) == rank) {
    *out = shape;
    return OkStatus();
  }
  return errors::InvalidArgument("Shape must be rank ", rank, " but is rank ",
                                 Rank(shape), ": ", NameOf(shape),
                                 " has shape ", DebugString(shape));
}

Status InferenceContext::WithRankAtLeast(ShapeHandle shape, int64_t rank,
                                         ShapeHandle* out) {
  *out = ShapeHandle();
  if (RankKnown(shape) && Rank(shape) < rank) {
    return errors::InvalidArgument(
        "Shape must be at least rank ", rank, " but is rank ", Rank(shape),
        ": ", NameOf(shape), " has shape ", DebugString(shape));
  }
  *out = shape;
  return OkStatus();
}

Status InferenceContext::WithRankAtMost(ShapeHandle shape, int64_t rank,
                                        ShapeHandle* out) {
  *out = ShapeHandle();
  if (RankKnown(shape) && Rank(shape) > rank) {
    return errors::InvalidArgument(
        "Shape must be at most rank ", rank, " but is rank ", Rank(shape), ": ",
        NameOf(shape), " has shape ", DebugString(shape));
  }
  *out = shape;
  return OkStatus();
}

Status InferenceContext::WithValue(DimensionHandle dim, int64_t value,
                                   DimensionHandle* out) {
  *out = DimensionHandle();
  if (!ValueKnown(dim)) {
    *out = MakeDim(value);
    return OkStatus();
  }
  if (Value(dim) == value) {
    *out = dim;
    return OkStatus();
  }
  return errors::InvalidArgument("Dimension must be ", value, " but is ",
                                 Value(dim));
}

Status InferenceContext::Merge(DimensionHandle d0, DimensionHandle d1,
                               DimensionHandle* out) {
  *out = DimensionHandle();
  if (d0.SameHandle(d1) || !ValueKnown(d1)) {
    *out = d0;
  } else if (!ValueKnown(d0) || Value(d0) == Value(d1)) {
    *out = ValueKnown(d0) ? d0 : d1;
  } else {
    return errors::InvalidArgument("Dimensions must be equal, but are ",
                                   Value(d0), " and ", Value(d1));
  }
  return OkStatus();
}

Status InferenceContext::Merge(ShapeHandle s0, ShapeHandle s1,
                               ShapeHandle* out) {
  *out = ShapeHandle();
  if (s0.SameHandle(s1) || !RankKnown(s1)) {
    *out = s0;
    return OkStatus();
  }
  if (!RankKnown(s0)) {
    *out = s1;
    return OkStatus();
  }
  auto mismatch = [&](const auto&... words) {
    // An error tells an input's name; other shapes have none.
    const std::string a = NameOf(s0), b = NameOf(s1);
    return errors::InvalidArgument(
        words..., ". Shapes are ", DebugString(s0), " and ", DebugString(s1),
        a == b ? "" : absl::StrCat(", of ", a, " and ", b));
  };
  if (Rank(s0) != Rank(s1)) {
    return mismatch("Shapes must be equal rank, but are ", Rank(s0), " and ",
                    Rank(s1));
  }
  bool is_s0 = true, is_s1 = true;
  auto dims = NewDims(Rank(s0));
  for (int i = 0; i < Rank(s0); ++i) {
    if (!Merge(s0->dims[i], s1->dims[i], &dims[i]).ok()) {
      return mismatch("Dimension ", i,
                      " in both shapes must be equal, but are ",
                      Value(s0->dims[i]), " and ", Value(s1->dims[i]));
    }
    is_s0 &= dims[i].SameHandle(s0->dims[i]);
    is_s1 &= dims[i].SameHandle(s1->dims[i]);
  }
  *out = is_s0 ? s0 : is_s1 ? s1 : NewShape(dims);
  return OkStatus();
}

Status InferenceContext::MergePrefix(ShapeHandle s, ShapeHandle prefix,
                                     ShapeHandle* s_out,
                                     ShapeHandle* prefix_out) {
  *s_out = *prefix_out = ShapeHandle();
  if (!RankKnown(s) || !RankKnown(prefix)) {
    *s_out = s;
    *prefix_out = prefix;
    return OkStatus();
  }
  const int32_t rank = Rank(prefix);
  TF_RETURN_IF_ERROR(WithRankAtLeast(s, rank, &s));
  auto dims = NewDims(Rank(s));
  for (int i = 0; i < Rank(s); ++i) {
    if (i >= rank) {
      dims[i] = s->dims[i];
    } else if (!Merge(s->dims[i], prefix->dims[i], &dims[i]).ok()) {
      return errors::InvalidArgument(
          NameOf(s), " must start with the shape of ", NameOf(prefix), ", got ",
          DebugString(s), " and ", DebugString(prefix));
    }
  }
  *s_out = NewShape(dims);
  *prefix_out = NewShape(dims.subspan(0, rank));
  return OkStatus();
}

void InferenceContext::Relax(DimensionHandle d_old, DimensionHandle d_new,
                             DimensionHandle* out) {
  if (d_old.SameHandle(d_new)) {
    *out = d_old;
  } else if (!ValueKnown(d_old)) {
    *out = d_old;
  } else if (ValueKnown(d_new) && Value(d_old) == Value(d_new)) {
    *out = d_old;
  } else {
    *out = UnknownDim();
  }
}

void InferenceContext::Relax(ShapeHandle s_old, ShapeHandle s_new,
                             ShapeHandle* out) {
  if (s_old.SameHandle(s_new) || !RankKnown(s_old)) {
    *out = s_old;
    return;
  }
  if (!RankKnown(s_new) || Rank(s_old) != Rank(s_new)) {
    *out = UnknownShape();
    return;
  }
  bool unchanged = true;
  auto dims = NewDims(Rank(s_old));
  for (int i = 0; i < Rank(s_old); ++i) {
    Relax(s_old->dims[i], s_new->dims[i], &dims[i]);
    unchanged &= dims[i].SameHandle(s_old->dims[i]);
  }
  *out = unchanged ? s_old : NewShape(dims);
}

// ---- Resource handles ------------------------------------------------------

void InferenceContext::set_input_handle_shapes_and_types(
    int idx, std::vector<ShapeAndType> shapes_and_types) {
  input_handle_shapes_and_types_[idx] =
      std::make_unique<std::vector<ShapeAndType>>(std::move(shapes_and_types));
}

void InferenceContext::set_output_handle_shapes_and_types(
    int idx, std::vector<ShapeAndType> shapes_and_types) {
  output_handle_shapes_and_types_[idx] =
      std::make_unique<std::vector<ShapeAndType>>(std::move(shapes_and_types));
}

bool InferenceContext::MergeHandles(
    const std::vector<ShapeAndType>& news,
    std::unique_ptr<std::vector<ShapeAndType>>* known) {
  if (*known == nullptr) {
    *known = std::make_unique<std::vector<ShapeAndType>>(news);
    return true;
  }
  if ((*known)->size() != news.size()) return false;
  std::vector<ShapeAndType> merged = **known;
  bool changed = false;
  for (size_t i = 0; i < news.size(); ++i) {
    if (merged[i].dtype == DT_INVALID) {
      changed |= news[i].dtype != DT_INVALID;
      merged[i].dtype = news[i].dtype;
    } else if (news[i].dtype != DT_INVALID &&
               news[i].dtype != merged[i].dtype) {
      return false;
    }
    const ShapeHandle before = merged[i].shape;
    if (!Merge(before, news[i].shape, &merged[i].shape).ok()) return false;
    changed |= !merged[i].shape.SameHandle(before);
  }
  if (changed) **known = std::move(merged);
  return changed;
}

bool InferenceContext::MergeInputHandleShapesAndTypes(
    int idx, const std::vector<ShapeAndType>& shapes_and_types) {
  return MergeHandles(shapes_and_types, &input_handle_shapes_and_types_[idx]);
}

bool InferenceContext::MergeOutputHandleShapesAndTypes(
    int idx, const std::vector<ShapeAndType>& shapes_and_types) {
  return MergeHandles(shapes_and_types, &output_handle_shapes_and_types_[idx]);
}

}  // namespace shape_inference
}  // namespace tensorwright
