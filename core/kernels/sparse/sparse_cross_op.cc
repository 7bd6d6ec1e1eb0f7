// SPDX-License-Identifier: Apache-2.0
// SparseCross, SparseCrossV2, SparseCrossHashed: for each row of a batch they
// combine one feature of each column in all ways, and give the combinations as
// joined strings or as hashes.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/sip_hash.h"
#include "core/kernels/sparse/sparse_util.h"
#include "core/platform/fingerprint.h"

namespace tensorwright {
namespace {

// A feature: a string, or an integer.
struct Column {
  const Tensor* values;

  absl::string_view Bytes(int64_t i) const {
    return values->base<std::string>()[i];
  }
  int64_t Number(int64_t i) const { return values->base<int64_t>()[i]; }
  bool has_strings() const { return values->dtype() == DT_STRING; }
};

// Features [start, start + count) of a column belong to row `row`.
struct Run {
  int64_t row, start, count;
};

// A row in which each column has features; those of column c begin at
// starts[c].
struct Cross {
  int64_t row;
  std::vector<int64_t> starts, counts;
  int64_t combinations = 1;
};

// The columns to cross.
struct Batch {
  std::vector<Column> columns;
  std::vector<Cross> rows;
  // All rows, including those in which a column has no feature.
  int64_t size = 0;
  int64_t combinations = 0, widest = 0;
};

// Finds the runs of rows, which must come in order; leaves out a row that does
// not, and all rows behind it.
std::vector<Run> RunsOf(const Tensor& indices, int64_t rows) {
  const sparse::Rows index = sparse::RowsOf(indices);
  std::vector<Run> runs;
  for (int64_t i = 0; i < index.n; ++i) {
    const int64_t row = index[i][0];
    if (!runs.empty() && runs.back().row == row) {
      ++runs.back().count;
      continue;
    }
    if (row < 0 || row >= rows || (!runs.empty() && row < runs.back().row)) {
      break;
    }
    runs.push_back({row, i, 1});
  }
  return runs;
}

std::vector<Run> RunsOfDense(const Tensor& dense) {
  const int64_t width = dense.dim_size(1);
  std::vector<Run> runs;
  for (int64_t i = 0; width > 0 && i < dense.dim_size(0); ++i) {
    runs.push_back({i, i * width, width});
  }
  return runs;
}

Status CheckColumns(const OpInputList& indices, const OpInputList& values,
                    const OpInputList& shapes, const OpInputList& dense,
                    int64_t* rows) {
  if (indices.size() != values.size()) {
    return errors::InvalidArgument("Expected as many values as indices, got ",
                                   values.size(), " and ", indices.size());
  }
  *rows = -1;
  const auto merge = [rows](int64_t size, const char* what, int i) -> Status {
    if (size < 0) {
      return errors::InvalidArgument("shapes must not be negative, got ", size,
                                     " at position ", i);
    }
    if (*rows == -1 && size >= 0) *rows = size;
    if (size == *rows) return OkStatus();
    return errors::InvalidArgument("Expected batch size ", *rows, " got ", size,
                                   " at ", what, " ", i);
  };
  for (int i = 0; i < indices.size(); ++i) {
    TF_RETURN_IF_ERROR(
        sparse::CheckParts("", indices[i], values[i], shapes[i]));
    if (shapes[i].NumElements() != 2) {
      return errors::InvalidArgument("Expected sparse tensors of rank 2, got ",
                                     shapes[i].NumElements(), " at position ",
                                     i);
    }
    TF_RETURN_IF_ERROR(merge(*shapes[i].base<int64_t>(), "position", i));
  }
  for (int i = 0; i < dense.size(); ++i) {
    if (dense[i].dims() != 2) {
      return errors::InvalidArgument(
          "Dense inputs should be matrices but received shape ",
          dense[i].shape().DebugString(), " at position ", i);
    }
    TF_RETURN_IF_ERROR(merge(dense[i].dim_size(0), "dense tensor", i));
  }
  *rows = std::max<int64_t>(*rows, 0);
  return OkStatus();
}

// Keeps the rows that `runs` has too, and adds its features to them.
void Intersect(const std::vector<Run>& runs, std::vector<Cross>* rows) {
  size_t next = 0;
  std::vector<Cross> both;
  for (Cross& row : *rows) {
    while (next < runs.size() && runs[next].row < row.row) ++next;
    if (next == runs.size()) break;
    if (runs[next].row != row.row) continue;
    row.starts.push_back(runs[next].start);
    row.counts.push_back(runs[next].count);
    both.push_back(std::move(row));
  }
  *rows = std::move(both);
}

Status ReadBatch(OpKernelContext* ctx, Batch* batch) {
  OpInputList indices, values, shapes, dense;
  TF_RETURN_IF_ERROR(ctx->input_list("indices", &indices));
  TF_RETURN_IF_ERROR(ctx->input_list("values", &values));
  TF_RETURN_IF_ERROR(ctx->input_list("shapes", &shapes));
  TF_RETURN_IF_ERROR(ctx->input_list("dense_inputs", &dense));
  TF_RETURN_IF_ERROR(
      CheckColumns(indices, values, shapes, dense, &batch->size));
  for (int c = 0; c < indices.size() + dense.size(); ++c) {
    const bool is_sparse = c < indices.size();
    const int d = c - indices.size();
    batch->columns.push_back({is_sparse ? &values[c] : &dense[d]});
    const std::vector<Run> runs =
        is_sparse ? RunsOf(indices[c], batch->size) : RunsOfDense(dense[d]);
    if (c == 0) {
      for (const Run& run : runs) {
        batch->rows.push_back({run.row, {run.start}, {run.count}});
      }
    } else {
      Intersect(runs, &batch->rows);
    }
  }
  for (Cross& row : batch->rows) {
    bool overflow = false;
    for (const int64_t count : row.counts) {
      overflow |=
          __builtin_mul_overflow(row.combinations, count, &row.combinations);
    }
    overflow |= __builtin_add_overflow(batch->combinations, row.combinations,
                                       &batch->combinations);
    if (overflow) {
      return errors::InvalidArgument("There are too many combinations");
    }
    batch->widest = std::max(batch->widest, row.combinations);
  }
  return OkStatus();
}

// Sets out[i] = make(features) for each combination; the last column's features
// change first.  features[c] is a position in column c.
template <typename T, typename Make>
void WriteRow(const Cross& row, const Make& make, T* out) {
  std::vector<int64_t> features = row.starts;
  for (int64_t i = 0; i < row.combinations; ++i) {
    out[i] = make(features);
    for (size_t c = features.size(); c-- > 0;) {
      if (++features[c] < row.starts[c] + row.counts[c]) break;
      features[c] = row.starts[c];
    }
  }
}

template <typename T, typename Make>
Status WriteOutputs(OpKernelContext* ctx, const Batch& batch,
                    const Make& make) {
  Tensor *indices = nullptr, *values = nullptr;
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(0, TensorShape({batch.combinations, 2}), &indices));
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(1, TensorShape({batch.combinations}), &values));
  TF_RETURN_IF_ERROR(SetSizes(ctx, 2, {batch.size, batch.widest}));
  const int64_t rows = static_cast<int64_t>(batch.rows.size());
  std::vector<int64_t> starts(rows + 1, 0);
  for (int64_t r = 0; r < rows; ++r) {
    starts[r + 1] = starts[r] + batch.rows[r].combinations;
  }
  const int64_t cost =
      50 * batch.combinations / std::max<int64_t>(rows, 1) + 50;
  ParallelFor(ctx, rows, cost, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const Cross& row = batch.rows[r];
      int64_t* to = indices->base<int64_t>() + 2 * starts[r];
      for (int64_t i = 0; i < row.combinations; ++i) {
        *to++ = row.row;
        *to++ = i;
      }
      WriteRow(row, make, values->base<T>() + starts[r]);
    }
  });
  return OkStatus();
}

Status WriteStrings(OpKernelContext* ctx, const Batch& batch,
                    absl::string_view separator) {
  return WriteOutputs<std::string>(
      ctx, batch, [&](const std::vector<int64_t>& features) {
        std::string joined;
        for (size_t c = 0; c < features.size(); ++c) {
          const Column& column = batch.columns[c];
          if (c > 0) absl::StrAppend(&joined, separator);
          if (column.has_strings()) {
            absl::StrAppend(&joined, column.Bytes(features[c]));
          } else {
            absl::StrAppend(&joined, column.Number(features[c]));
          }
        }
        return joined;
      });
}

int64_t Bucket(uint64_t hash, int64_t num_buckets) {
  return static_cast<int64_t>(
      hash % static_cast<uint64_t>(num_buckets > 0
                                       ? num_buckets
                                       : std::numeric_limits<int64_t>::max()));
}

class SparseCrossOp final : public OpKernel {
 public:
  explicit SparseCrossOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_buckets", &num_buckets_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("hash_key", &hash_key_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("out_type", &out_type_));
  }

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, ReadBatch(ctx, &batch));
    if (out_type_ == DT_STRING) {
      OP_REQUIRES_OK(ctx, WriteStrings(ctx, batch, "_X_"));
      return;
    }
    OP_REQUIRES_OK(ctx, WriteOutputs<int64_t>(
                            ctx, batch, [&](const std::vector<int64_t>& f) {
                              return Hash(batch.columns, f);
                            }));
  }

 private:
  int64_t Hash(const std::vector<Column>& columns,
               const std::vector<int64_t>& features) const {
    uint64_t hash = static_cast<uint64_t>(hash_key_);
    for (size_t c = 0; c < features.size(); ++c) {
      const uint64_t own =
          columns[c].has_strings()
              ? Fingerprint64(columns[c].Bytes(features[c]))
              : static_cast<uint64_t>(columns[c].Number(features[c]));
      hash = FingerprintCat64(hash, own);
    }
    return Bucket(hash, num_buckets_);
  }

  int64_t num_buckets_ = 0;
  int64_t hash_key_ = 0;
  DataType out_type_ = DT_INVALID;
};
REGISTER_KERNEL_BUILDER(Name("SparseCross").Device(DEVICE_CPU), SparseCrossOp);

class SparseCrossV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, ReadBatch(ctx, &batch));
    const Tensor& separator = ctx->input(ctx->num_inputs() - 1);
    OP_REQUIRES(ctx, separator.dims() == 0,
                errors::InvalidArgument("sep must be a scalar, got shape ",
                                        separator.shape().DebugString()));
    OP_REQUIRES_OK(ctx,
                   WriteStrings(ctx, batch, *separator.base<std::string>()));
  }
};
REGISTER_KERNEL_BUILDER(Name("SparseCrossV2").Device(DEVICE_CPU),
                        SparseCrossV2Op);

// Hashes the low 4 bytes of an integer, as TensorFlow does, because the weights
// of models depend on the hashes.
class SparseCrossHashedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, ReadBatch(ctx, &batch));
    const int last = ctx->num_inputs() - 1;
    const Tensor& buckets = ctx->input(last - 2);
    const Tensor& strong = ctx->input(last - 1);
    const Tensor& salt = ctx->input(last);
    OP_REQUIRES(ctx, buckets.dims() == 0 && strong.dims() == 0,
                errors::InvalidArgument(
                    "num_buckets and strong_hash must be scalars, got shapes ",
                    buckets.shape().DebugString(), " and ",
                    strong.shape().DebugString()));
    OP_REQUIRES(ctx, salt.dims() == 1 && salt.NumElements() == 2,
                errors::InvalidArgument("salt must have 2 elements, got shape ",
                                        salt.shape().DebugString()));
    const SipHash sip(static_cast<uint64_t>(salt.base<int64_t>()[0]),
                      static_cast<uint64_t>(salt.base<int64_t>()[1]));
    const bool is_strong = *strong.base<bool>();
    const int64_t num_buckets = *buckets.base<int64_t>();
    const auto hash_of = [&](const Column& column, int64_t i) {
      const int64_t number = column.has_strings() ? 0 : column.Number(i);
      const absl::string_view bytes =
          column.has_strings()
              ? column.Bytes(i)
              : absl::string_view(reinterpret_cast<const char*>(&number), 4);
      return is_strong ? sip(bytes) : Fingerprint64(bytes);
    };
    OP_REQUIRES_OK(ctx,
                   WriteOutputs<int64_t>(
                       ctx, batch, [&](const std::vector<int64_t>& features) {
                         uint64_t hash = hash_of(batch.columns[0], features[0]);
                         for (size_t c = 1; c < features.size(); ++c) {
                           hash = FingerprintCat64(
                               hash, hash_of(batch.columns[c], features[c]));
                         }
                         return Bucket(hash, num_buckets);
                       }));
  }
};
REGISTER_KERNEL_BUILDER(Name("SparseCrossHashed").Device(DEVICE_CPU),
                        SparseCrossHashedOp);

}  // namespace
}  // namespace tensorwright
