// SPDX-License-Identifier: Apache-2.0
// Parses in two passes over the frames of a list: the first counts, the second
// copies. It keeps nothing about a frame in between, because a frame may be as
// short as two bytes.
#include "core/kernels/parsing/example_parsing_ops_lists.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

using example_wire::Pieces;
using example_wire::Values;
using example_wire::Wire;

// The frames of one list of one example.
struct FeatureListTable::Found {
  bool there = false;
  absl::string_view list;
  int64_t frames = 0;
  int64_t values = 0;
  int64_t most = 0;  // The most values in a frame.
};

namespace {

// Calls fn(values) for each frame of a FeatureList, with its number of values.
template <typename Fn>
bool ForEachFrame(absl::string_view list, Pieces* pieces, const Fn& fn) {
  Wire wire(list);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    absl::string_view feature;
    if (!wire.Tag(&tag)) return false;
    if (tag != example_wire::kBytes1) {
      if (!wire.Skip(tag)) return false;
      continue;
    }
    Values values;
    if (!wire.Bytes(&feature) ||
        !example_wire::ReadFeature(feature, pieces, &values) ||
        !example_wire::CountValues(&values) || !fn(values)) {
      return false;
    }
  }
  return true;
}

std::string WrongFrame(const FeatureListSpec& spec, const Values& values) {
  const bool wrong_type =
      values.dtype != spec.dtype && (spec.dense || values.dtype != DT_INVALID);
  if (wrong_type) {
    return absl::StrCat(
        "Data types don't match. Expected type: ", DataTypeString(spec.dtype),
        ", Actual type: ",
        values.dtype == DT_INVALID ? std::string("none")
                                   : DataTypeString(values.dtype));
  }
  if (spec.dense && values.count != spec.num_elements) {
    return absl::StrCat("Number of ", DataTypeString(spec.dtype),
                        " values != expected.  values size: ", values.count,
                        " but output shape: ", spec.shape.DebugString());
  }
  return "";
}

template <typename T>
bool CopyFrame(const Values& values, int64_t at, Tensor* to) {
  return CopyValues(values, to->base<T>() + at);
}

bool CopyFrame(DataType dtype, const Values& values, int64_t at, Tensor* to) {
  switch (dtype) {
    case DT_FLOAT:
      return CopyFrame<float>(values, at, to);
    case DT_INT64:
      return CopyFrame<int64_t>(values, at, to);
    default:
      return CopyFrame<std::string>(values, at, to);
  }
}

// Sets all elements to zero or an empty string.
void Clear(Tensor* t) {
  switch (t->dtype()) {
    case DT_FLOAT:
      std::fill_n(t->base<float>(), t->NumElements(), 0.0f);
      break;
    case DT_INT64:
      std::fill_n(t->base<int64_t>(), t->NumElements(), 0);
      break;
    default:
      break;  // Strings are made empty.
  }
}

}  // namespace

Status FeatureListTable::Init(std::vector<FeatureListSpec> specs) {
  specs_ = std::move(specs);
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (!places_.emplace(specs_[i].key, static_cast<int>(i)).second) {
      return errors::InvalidArgument("Feature list: ", specs_[i].key,
                                     " is asked for twice");
    }
  }
  return OkStatus();
}

Status FeatureListTable::Scan(const ExampleBatch& batch, size_t index,
                              Pieces* pieces, Found* row) const {
  std::string wrong;
  const auto count = [&](absl::string_view key, absl::string_view list) {
    const auto place = places_.find(key);
    if (place == places_.end()) return true;
    const FeatureListSpec& spec = specs_[place->second];
    Found& found = row[place->second];
    found = Found();
    found.there = true;
    found.list = list;
    Pieces own;
    return ForEachFrame(list, &own, [&](const Values& values) {
      const std::string why = WrongFrame(spec, values);
      if (!why.empty()) {
        wrong = absl::StrCat("Feature list: ", key.substr(0, 200),
                             ", Index: ", found.frames, ".  ", why);
        return false;
      }
      ++found.frames;
      found.values += values.count;
      found.most = std::max(found.most, values.count);
      return true;
    });
  };
  const bool parsed = example_wire::ForEachEntry(
      batch.serialized[index], example_wire::kBytes2, pieces, count);
  if (!wrong.empty()) {
    return errors::InvalidArgument(batch.NameOf(index), wrong);
  }
  if (!parsed) {
    return errors::InvalidArgument(batch.NameOf(index),
                                   "Could not parse example input, value: '",
                                   batch.serialized[index].substr(0, 200), "'");
  }
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (row[i].there || !specs_[i].dense || specs_[i].may_be_missing) continue;
    return errors::InvalidArgument(
        batch.NameOf(index), "Feature list '", specs_[i].key.substr(0, 200),
        "' is required but could not be found.  Did you mean to include it in "
        "feature_list_dense_missing_assumed_empty or "
        "feature_list_dense_defaults?");
  }
  return OkStatus();
}

namespace {

// The outputs of one list for all examples.
struct ListOutputs {
  Tensor* values = nullptr;
  int64_t* indices = nullptr;
  int64_t next = 0;  // The next sparse or ragged value.
  // The splits of a ragged list: the beginnings of frames, and of examples.
  Tensor* inner_splits = nullptr;
  Tensor* outer_splits = nullptr;
  int64_t next_frame = 0;
};

void SetSplit(Tensor* splits, int64_t at, int64_t value) {
  if (splits->dtype() == DT_INT32) {
    splits->base<int32_t>()[at] = static_cast<int32_t>(value);
  } else {
    splits->base<int64_t>()[at] = value;
  }
}

// Allocates for a ragged list with `total` values in `frames` frames of all
// examples.
Status AllocateRagged(OpKernelContext* ctx, const FeatureListSpec& spec,
                      bool single, int64_t batch, int64_t total, int64_t frames,
                      ListOutputs* out) {
  for (const int output : {spec.inner_splits, spec.outer_splits}) {
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    if (ctx->expected_output_dtype(output) == DT_INT32 &&
        std::max(total, frames) > kMax) {
      return errors::InvalidArgument(
          "Feature list: ", spec.key.substr(0, 200),
          " has too many values for splits of int32");
    }
  }
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(spec.values, TensorShape({total}), &out->values));
  TF_RETURN_IF_ERROR(ctx->allocate_output(
      spec.inner_splits, TensorShape({frames + 1}), &out->inner_splits));
  // A single example needs no splits between examples.
  TF_RETURN_IF_ERROR(ctx->allocate_output(spec.outer_splits,
                                          TensorShape({single ? 0 : batch + 1}),
                                          &out->outer_splits));
  SetSplit(out->inner_splits, 0, 0);
  if (!single) SetSplit(out->outer_splits, 0, 0);
  return OkStatus();
}

// Allocates for a list with `total` values, at most `frames` frames in an
// example and `most` values in a frame.
Status AllocateList(OpKernelContext* ctx, const FeatureListSpec& spec,
                    bool single, int64_t batch, int64_t total, int64_t frames,
                    int64_t most, ListOutputs* out) {
  if (spec.dense) {
    TensorShape shape;
    if (!single) shape.AddDim(batch);
    TF_RETURN_IF_ERROR(shape.AddDimWithStatus(frames));
    TF_RETURN_IF_ERROR(shape.AppendShapeWithStatus(spec.shape));
    TF_RETURN_IF_ERROR(ctx->allocate_output(spec.values, shape, &out->values));
    Clear(out->values);
    return OkStatus();
  }
  const int64_t rank = single ? 2 : 3;
  Tensor *indices = nullptr, *sizes = nullptr;
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(spec.indices, TensorShape({total, rank}), &indices));
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(spec.values, TensorShape({total}), &out->values));
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(spec.dense_shape, TensorShape({rank}), &sizes));
  out->indices = indices->base<int64_t>();
  int64_t* size = sizes->base<int64_t>();
  if (!single) *size++ = batch;
  *size++ = frames;
  *size = most;
  return OkStatus();
}

// Copies the frames of one list of example b.
bool CopyList(const FeatureListSpec& spec, absl::string_view list, bool single,
              int64_t b, int64_t most_frames, ListOutputs* out) {
  Pieces pieces;
  int64_t frame = 0;
  return ForEachFrame(list, &pieces, [&](const Values& values) {
    int64_t at = (b * most_frames + frame) * spec.num_elements;
    if (spec.ragged) {
      at = out->next;
      out->next += values.count;
      SetSplit(out->inner_splits, ++out->next_frame, out->next);
    } else if (!spec.dense) {
      at = out->next;
      out->next += values.count;
      int64_t* index = out->indices + at * (single ? 2 : 3);
      for (int64_t i = 0; i < values.count; ++i) {
        if (!single) *index++ = b;
        *index++ = frame;
        *index++ = i;
      }
    }
    ++frame;
    return values.count == 0 || CopyFrame(spec.dtype, values, at, out->values);
  });
}

}  // namespace

Status FeatureListTable::Parse(OpKernelContext* ctx,
                               const ExampleBatch& batch) const {
  const size_t n = batch.serialized.size(), step = specs_.size();
  if (step == 0) return OkStatus();
  std::vector<Found> table(n * step);
  Pieces pieces;
  for (size_t b = 0; b < n; ++b) {
    TF_RETURN_IF_ERROR(Scan(batch, b, &pieces, table.data() + b * step));
  }
  for (size_t i = 0; i < step; ++i) {
    const FeatureListSpec& spec = specs_[i];
    int64_t total = 0, frames = 0, most = 0, all_frames = 0;
    for (size_t b = 0; b < n; ++b) {
      const Found& found = table[b * step + i];
      total += found.values;
      frames = std::max(frames, found.frames);
      most = std::max(most, found.most);
      all_frames += found.frames;
    }
    ListOutputs out;
    const auto size = static_cast<int64_t>(n);
    TF_RETURN_IF_ERROR(spec.ragged
                           ? AllocateRagged(ctx, spec, batch.single, size,
                                            total, all_frames, &out)
                           : AllocateList(ctx, spec, batch.single, size, total,
                                          frames, most, &out));
    int64_t* lengths = nullptr;
    if (spec.lengths >= 0) {
      Tensor* t = nullptr;
      TF_RETURN_IF_ERROR(ctx->allocate_output(
          spec.lengths,
          batch.single ? TensorShape() : TensorShape({static_cast<int64_t>(n)}),
          &t));
      lengths = t->base<int64_t>();
    }
    for (size_t b = 0; b < n; ++b) {
      const Found& found = table[b * step + i];
      if (lengths != nullptr) lengths[b] = found.frames;
      // A number's encoding may be longer than any number has, which the first
      // pass does not see.
      if (!CopyList(spec, found.list, batch.single, static_cast<int64_t>(b),
                    frames, &out)) {
        return errors::InvalidArgument(
            batch.NameOf(b), "Feature list: ", spec.key.substr(0, 200),
            ".  Can't parse serialized SequenceExample.");
      }
      if (spec.ragged && !batch.single) {
        SetSplit(out.outer_splits, static_cast<int64_t>(b) + 1, out.next_frame);
      }
    }
  }
  return OkStatus();
}

}  // namespace tensorwright
