// SPDX-License-Identifier: Apache-2.0
// Parses in two passes over the bytes: the first finds and counts the values of
// every feature, which says how large the outputs are; the second copies the
// values to their places.  Both take the examples in parallel, and both
// remember only the places of an example's values.
#include "core/kernels/parsing/example_parsing_ops_columns.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using example_wire::Pieces;
using example_wire::Values;

// The outputs of one feature for all examples, with the state of its copying.
struct Column {
  // The first value of each example among all values.
  std::vector<int64_t> starts;
  int64_t most = 0;
  Tensor* values = nullptr;
  int64_t* indices = nullptr;
};

Status NoSuchType(const FeatureSpec& spec, DataType found) {
  return errors::InvalidArgument(
      "Data types don't match. Data type: ", DataTypeString(found),
      " but expected type: ", DataTypeString(spec.dtype));
}

// Finds the features of an example: row[i] belongs to spec i.
class Scanner {
 public:
  Scanner(const std::vector<FeatureSpec>& specs,
          const absl::flat_hash_map<absl::string_view, int>& places)
      : specs_(specs), places_(places) {}

  Status Scan(const ExampleBatch& batch, size_t index, Pieces* pieces,
              Values* row) {
    size_t at = 0;
    Status status;
    const bool parsed = example_wire::ForEachEntry(
        batch.serialized[index], example_wire::kBytes1, pieces,
        [&](absl::string_view key, absl::string_view feature) {
          const int place = Find(key, at++);
          if (place < 0) return true;
          status = Read(specs_[place], feature, pieces, &row[place]);
          if (status.ok()) return true;
          status = errors::InvalidArgument(batch.Where(index, key),
                                           status.message());
          return false;
        });
    TF_RETURN_IF_ERROR(status);
    if (parsed) return OkStatus();
    return errors::InvalidArgument(batch.NameOf(index),
                                   "Could not parse example input, value: '",
                                   batch.serialized[index].substr(0, 200), "'");
  }

 private:
  // Examples from one writer have their features in one order, so the feature
  // that was here last time is tried first.
  int Find(absl::string_view key, size_t at) {
    if (at < order_.size() && order_[at] >= 0 &&
        specs_[order_[at]].key == key) {
      return order_[at];
    }
    const auto found = places_.find(key);
    const int place = found == places_.end() ? -1 : found->second;
    if (at < 4 * specs_.size() + 64) {
      if (at >= order_.size()) order_.resize(at + 1, -1);
      order_[at] = place;
    }
    return place;
  }

  static Status Read(const FeatureSpec& spec, absl::string_view feature,
                     Pieces* pieces, Values* values) {
    if (!example_wire::ReadFeature(feature, pieces, values) ||
        !example_wire::CountValues(values)) {
      return errors::InvalidArgument("Can't parse serialized Example.");
    }
    // A feature without values counts as missing.
    if (values->dtype == DT_INVALID) return OkStatus();
    if (values->dtype != spec.dtype) return NoSuchType(spec, values->dtype);
    const bool fits = spec.layout == FeatureLayout::kDense
                          ? values->count == spec.num_elements
                          : spec.layout != FeatureLayout::kDenseRows ||
                                (spec.num_elements == 0
                                     ? values->count == 0
                                     : values->count % spec.num_elements == 0);
    if (fits) return OkStatus();
    return errors::InvalidArgument(
        "Number of ", DataTypeString(spec.dtype),
        spec.layout == FeatureLayout::kDense
            ? " values != expected.  Values size: "
            : " values is not a multiple of stride length. Values size: ",
        values->count, " but output shape: ", spec.shape.DebugString());
  }

  const std::vector<FeatureSpec>& specs_;
  const absl::flat_hash_map<absl::string_view, int>& places_;
  std::vector<int> order_;
};

template <typename T>
bool CopyRow(const FeatureSpec& spec, const Values& values,
             const Tensor* fallback, size_t example, Column* column) {
  T* const out = column->values->base<T>();
  if (spec.layout == FeatureLayout::kSparse ||
      spec.layout == FeatureLayout::kRagged) {
    return CopyValues(values, out + column->starts[example]);
  }
  const bool rows = spec.layout == FeatureLayout::kDenseRows;
  const int64_t room = rows ? column->most : spec.num_elements;
  T* const begin = out + static_cast<int64_t>(example) * room;
  if (values.dtype != DT_INVALID && !CopyValues(values, begin)) return false;
  if (!rows) {
    if (values.dtype == DT_INVALID) {
      std::copy_n(fallback->base<const T>(), room, begin);
    }
    return true;
  }
  const bool padded = fallback != nullptr && fallback->NumElements() == 1;
  std::fill(begin + values.count, begin + room,
            padded ? *fallback->base<const T>() : T());
  return true;
}

bool CopyColumn(const FeatureSpec& spec, const Values& values,
                const Tensor* fallback, size_t example, bool single,
                Column* column) {
  if (column->indices != nullptr) {
    int64_t* at = column->indices + column->starts[example] * (single ? 1 : 2);
    for (int64_t i = 0; i < values.count; ++i) {
      if (!single) *at++ = static_cast<int64_t>(example);
      *at++ = i;
    }
  }
  switch (spec.dtype) {
    case DT_FLOAT:
      return CopyRow<float>(spec, values, fallback, example, column);
    case DT_INT64:
      return CopyRow<int64_t>(spec, values, fallback, example, column);
    default:
      return CopyRow<std::string>(spec, values, fallback, example, column);
  }
}

// Allocates the outputs of a feature; the table has its values at every
// `step`-th place.
Status Allocate(OpKernelContext* ctx, const FeatureSpec& spec, bool single,
                size_t batch, const Values* first, size_t step,
                Column* column) {
  const bool sparse = spec.layout == FeatureLayout::kSparse;
  const bool ragged = spec.layout == FeatureLayout::kRagged;
  int64_t total = 0;
  if (sparse || ragged) column->starts.resize(batch + 1, 0);
  for (size_t b = 0; b < batch; ++b) {
    const int64_t n = first[b * step].count;
    total += n;
    column->most = std::max(column->most, n);
    if (sparse || ragged) column->starts[b + 1] = total;
  }
  const int64_t rows = static_cast<int64_t>(batch);
  TensorShape shape;
  if (sparse || ragged) {
    shape.AddDim(total);
  } else {
    if (!single) shape.AddDim(rows);
    if (spec.layout == FeatureLayout::kDenseRows) {
      const int64_t each = std::max<int64_t>(1, spec.num_elements);
      TF_RETURN_IF_ERROR(shape.AddDimWithStatus(column->most / each));
    }
    TF_RETURN_IF_ERROR(shape.AppendShapeWithStatus(spec.shape));
  }
  TF_RETURN_IF_ERROR(ctx->allocate_output(spec.values, shape, &column->values));
  Tensor* more = nullptr;
  if (sparse) {
    TF_RETURN_IF_ERROR(ctx->allocate_output(
        spec.indices, TensorShape({total, single ? 1 : 2}), &more));
    column->indices = more->base<int64_t>();
    TF_RETURN_IF_ERROR(ctx->allocate_output(
        spec.dense_shape, TensorShape({single ? 1 : 2}), &more));
    int64_t* const sizes = more->base<int64_t>();
    if (!single) sizes[0] = rows;
    sizes[single ? 0 : 1] = column->most;
  } else if (ragged) {
    const int64_t splits = single ? 0 : rows + 1;
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(spec.splits, TensorShape({splits}), &more));
    for (int64_t i = 0; i < splits; ++i) {
      if (spec.splits_dtype == DT_INT32) {
        more->base<int32_t>()[i] = static_cast<int32_t>(column->starts[i]);
      } else {
        more->base<int64_t>()[i] = column->starts[i];
      }
    }
  }
  return OkStatus();
}

// Runs work(begin, end) on pieces of [0, n), and returns the error of the first
// piece that has one.
template <typename Work>
Status ParallelStatus(OpKernelContext* ctx, size_t n, int64_t cycles,
                      const Work& work) {
  mutex mu;
  Status first;
  int64_t where = static_cast<int64_t>(n);
  ParallelFor(ctx, static_cast<int64_t>(n), cycles,
              [&](int64_t begin, int64_t end) {
                Status status = work(begin, end);
                if (status.ok()) return;
                mutex_lock lock(mu);
                if (begin < where) {
                  where = begin;
                  first = std::move(status);
                }
              });
  return first;
}

}  // namespace

Status SetDenseShape(const PartialTensorShape& shape, FeatureSpec* spec) {
  spec->layout = FeatureLayout::kDense;
  if (shape.AsTensorShape(&spec->shape)) {
    spec->num_elements = spec->shape.num_elements();
    return OkStatus();
  }
  if (shape.dims() < 1) {
    return errors::InvalidArgument("dense_shapes must have known ranks, got ",
                                   shape.DebugString());
  }
  spec->layout = FeatureLayout::kDenseRows;
  spec->shape = TensorShape();
  for (int d = 1; d < shape.dims(); ++d) {
    if (shape.dim_size(d) < 0) {
      return errors::InvalidArgument(
          "dense_shapes may have an unknown first dimension only, got ",
          shape.DebugString());
    }
    TF_RETURN_IF_ERROR(spec->shape.AddDimWithStatus(shape.dim_size(d)));
  }
  spec->num_elements = spec->shape.num_elements();
  return OkStatus();
}

Status CheckDefault(const FeatureSpec& spec, const Tensor& value, int which) {
  if (value.dtype() != spec.dtype) {
    return errors::InvalidArgument(
        "dense_defaults[", which,
        "].dtype() == ", DataTypeString(value.dtype()), " != dense_types[",
        which, "] == ", DataTypeString(spec.dtype));
  }
  if (value.NumElements() == 0) return OkStatus();
  if (spec.layout == FeatureLayout::kDenseRows) {
    if (value.NumElements() == 1) return OkStatus();
    return errors::InvalidArgument(
        "dense_shapes[", which, "] has a variable length, so dense_defaults[",
        which, "] must be a single element to pad with, got shape ",
        value.shape().DebugString());
  }
  if (value.shape() != spec.shape) {
    return errors::InvalidArgument("dense_defaults[", which,
                                   "].shape() == ", value.shape().DebugString(),
                                   " is not compatible with dense_shapes[",
                                   which, "] == ", spec.shape.DebugString());
  }
  return OkStatus();
}

std::string ExampleBatch::NameOf(size_t index) const {
  if (single && names.empty()) return "";
  return absl::StrCat(
      "Name: ", names.empty() ? "<unknown>" : names[index].substr(0, 200),
      ", ");
}

std::string ExampleBatch::Where(size_t index, absl::string_view key) const {
  return absl::StrCat(NameOf(index), word, ": ", key.substr(0, 200),
                      single ? std::string() : absl::StrCat(", Index: ", index),
                      ".  ");
}

Status FeatureTable::Init(std::vector<FeatureSpec> specs) {
  specs_ = std::move(specs);
  places_.clear();
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (!places_.emplace(specs_[i].key, static_cast<int>(i)).second) {
      return errors::InvalidArgument("Key: ", specs_[i].key,
                                     " is asked for twice");
    }
  }
  return OkStatus();
}

Status FeatureTable::Parse(OpKernelContext* ctx, const ExampleBatch& batch,
                           absl::Span<const Tensor* const> defaults) const {
  const size_t n = batch.serialized.size(), step = specs_.size();
  std::vector<Values> table(n * step);
  mutex mu;
  std::deque<Pieces> pieces;  // One for each thread.
  size_t bytes = 0;
  for (const std::string& s : batch.serialized) bytes += s.size();
  const int64_t cycles = 200 + 50 * static_cast<int64_t>(step) +
                         (n == 0 ? 0 : static_cast<int64_t>(bytes / n));
  const auto scan = [&](int64_t begin, int64_t end) -> Status {
    Pieces* own;
    {
      mutex_lock lock(mu);
      own = &pieces.emplace_back();
    }
    Scanner scanner(specs_, places_);
    for (size_t b = begin; b < static_cast<size_t>(end); ++b) {
      Values* const row = table.data() + b * step;
      TF_RETURN_IF_ERROR(scanner.Scan(batch, b, own, row));
      for (size_t i = 0; i < step; ++i) {
        if (row[i].dtype != DT_INVALID ||
            specs_[i].layout != FeatureLayout::kDense ||
            (defaults[i] != nullptr && defaults[i]->NumElements() > 0)) {
          continue;
        }
        return errors::InvalidArgument(
            batch.NameOf(b), batch.missing, ": ", specs_[i].key.substr(0, 200),
            " (data type: ", DataTypeString(specs_[i].dtype),
            ") is required but could not be found.");
      }
    }
    return OkStatus();
  };
  TF_RETURN_IF_ERROR(ParallelStatus(ctx, n, cycles, scan));

  std::vector<Column> columns(step);
  for (size_t i = 0; i < step; ++i) {
    TF_RETURN_IF_ERROR(Allocate(ctx, specs_[i], batch.single, n,
                                table.data() + i, step, &columns[i]));
  }
  return ParallelStatus(
      ctx, n, cycles, [&](int64_t begin, int64_t end) -> Status {
        for (size_t b = begin; b < static_cast<size_t>(end); ++b) {
          for (size_t i = 0; i < step; ++i) {
            // A number's encoding may be longer than any number has, which the
            // first pass does not see.
            if (!CopyColumn(specs_[i], table[b * step + i], defaults[i], b,
                            batch.single, &columns[i])) {
              return errors::InvalidArgument(batch.Where(b, specs_[i].key),
                                             "Can't parse serialized Example.");
            }
          }
        }
        return OkStatus();
      });
}

}  // namespace tensorwright
