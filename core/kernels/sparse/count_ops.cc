// SPDX-License-Identifier: Apache-2.0
// DenseCountSparseOutput, SparseCountSparseOutput and RaggedCountSparseOutput:
// they count how often each value occurs in each row, and give the counts that
// are not 0.

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/sparse/sparse_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// T is the type of the values that are counted, W that of weights and counts.
template <typename T, typename W>
class CountOp : public OpKernel {
 public:
  explicit CountOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("minlength", &min_length_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("maxlength", &max_length_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("binary_output", &binary_));
  }

 protected:
  // Maps each value of a row to its count, in order of values.
  using Rows = std::vector<std::map<T, W>>;

  // Counts elements of `values` in the rows that row_of(i) returns.
  template <class RowOf>
  Status Count(const Tensor& values, const Tensor& weights, int64_t row_count,
               const RowOf& row_of, Rows* rows) {
    const int64_t n = values.NumElements();
    const bool weighted = weights.NumElements() > 0;
    if (weighted && weights.shape() != values.shape()) {
      return errors::InvalidArgument(
          type_string(),
          ": weights must be empty or have the shape of values, got ",
          weights.shape().DebugString(), " and values ",
          values.shape().DebugString());
    }
    rows->resize(row_count);
    const T* const value = values.base<T>();
    const W* const weight = weights.base<W>();
    for (int64_t i = 0; i < n; ++i) {
      if (value[i] < 0) {
        return errors::InvalidArgument(
            type_string(), ": values must be non-negative, got ", value[i]);
      }
      if (max_length_ >= 0 && value[i] >= max_length_) continue;
      W& count = (*rows)[row_of(i)][value[i]];
      count = binary_ ? W(1)
                      : static_cast<W>(count + (weighted ? weight[i] : W(1)));
    }
    return OkStatus();
  }

  // `matrix`: the output's indices begin with the row's number.
  Status Write(OpKernelContext* ctx, const Rows& rows, bool matrix) const {
    int64_t n = 0, largest = 0;
    for (const auto& row : rows) {
      n += static_cast<int64_t>(row.size());
      if (!row.empty()) {
        largest = std::max(largest, static_cast<int64_t>(row.rbegin()->first));
      }
    }
    const int64_t rank = matrix ? 2 : 1;
    Tensor *indices, *values, *shape;
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(0, TensorShape({n, rank}), &indices));
    TF_RETURN_IF_ERROR(ctx->allocate_output(1, TensorShape({n}), &values));
    TF_RETURN_IF_ERROR(ctx->allocate_output(2, TensorShape({rank}), &shape));
    int64_t* at = indices->base<int64_t>();
    W* count = values->base<W>();
    for (size_t r = 0; r < rows.size(); ++r) {
      for (const auto& [value, sum] : rows[r]) {
        if (matrix) *at++ = static_cast<int64_t>(r);
        *at++ = value;
        *count++ = sum;
      }
    }
    int64_t* const sizes = shape->base<int64_t>();
    if (matrix) sizes[0] = static_cast<int64_t>(rows.size());
    sizes[rank - 1] = max_length_ >= 0
                          ? max_length_
                          : std::max<int64_t>(largest + 1, min_length_);
    return OkStatus();
  }

 private:
  int64_t min_length_ = -1, max_length_ = -1;
  bool binary_ = false;
};

// values [n] or [rows, n].
template <typename T, typename W>
class DenseCountOp final : public CountOp<T, W> {
 public:
  using CountOp<T, W>::CountOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& values = ctx->input(0);
    const bool matrix = values.dims() == 2;
    const int64_t n = values.dim_size(matrix ? 1 : 0);
    typename CountOp<T, W>::Rows rows;
    OP_REQUIRES_OK(ctx,
                   this->Count(
                       values, ctx->input(1), matrix ? values.dim_size(0) : 1,
                       [=](int64_t i) { return i / n; }, &rows));
    OP_REQUIRES_OK(ctx, this->Write(ctx, rows, matrix));
  }
};

// Counts a sparse tensor; the first coordinate is the row unless it is the only
// one.
template <typename T, typename W>
class SparseCountOp final : public CountOp<T, W> {
 public:
  using CountOp<T, W>::CountOp;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput input(ctx, 0);
    OP_REQUIRES_OK(ctx, input.Check());
    const bool matrix = input.rank() > 1;
    const sparse::Rows places = input.rows();
    for (int64_t i = 0; i < places.n; ++i) {
      for (int64_t d = 0; d < places.rank; ++d) {
        OP_REQUIRES(
            ctx, places[i][d] >= 0 && places[i][d] < input.sizes()[d],
            errors::InvalidArgument("SparseCountSparseOutput: indices[", i,
                                    ", ", d, "] must be in [0, ",
                                    input.sizes()[d], "), got ", places[i][d]));
      }
    }
    const int64_t row_count = matrix ? input.sizes()[0] : 1;
    OP_REQUIRES(ctx, row_count >= 0 && row_count <= kMostRows,
                errors::InvalidArgument("SparseCountSparseOutput: "
                                        "dense_shape[0] must be in [0, ",
                                        kMostRows, "], got ", row_count));
    typename CountOp<T, W>::Rows rows;
    OP_REQUIRES_OK(
        ctx, this->Count(
                 input.values, ctx->input(3), row_count,
                 [&](int64_t i) { return matrix ? places[i][0] : 0; }, &rows));
    OP_REQUIRES_OK(ctx, this->Write(ctx, rows, matrix));
  }

 private:
  // The table in memory has all rows, even those without a value.
  static constexpr int64_t kMostRows = int64_t{1} << 26;
};

// values [n]: row r has those from splits[r] to splits[r + 1].
template <typename T, typename W>
class RaggedCountOp final : public CountOp<T, W> {
 public:
  using CountOp<T, W>::CountOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& splits = ctx->input(0);
    const Tensor& values = ctx->input(1);
    const int64_t row_count = splits.NumElements() - 1;
    const int64_t* const ends = splits.base<int64_t>();
    bool ordered = row_count >= 0 && ends[0] == 0 &&
                   ends[row_count] == values.NumElements();
    for (int64_t r = 0; r < row_count; ++r) {
      ordered = ordered && ends[r] <= ends[r + 1];
    }
    OP_REQUIRES(ctx, ordered,
                errors::InvalidArgument(
                    "RaggedCountSparseOutput: splits must start with 0, not "
                    "decrease and end with the number of values, ",
                    values.NumElements(), ", got ", splits.SummarizeValue(8)));
    int64_t row = 0;
    const auto row_of = [&](int64_t i) {
      while (i >= ends[row + 1]) ++row;
      return row;
    };
    typename CountOp<T, W>::Rows rows;
    OP_REQUIRES_OK(
        ctx, this->Count(values, ctx->input(2), row_count, row_of, &rows));
    OP_REQUIRES_OK(ctx, this->Write(ctx, rows, true));
  }
};

namespace {

template <template <typename, typename> class Op>
struct Of {
  template <typename W>
  using Int32 = Op<int32_t, W>;
  template <typename W>
  using Int64 = Op<int64_t, W>;
};

}  // namespace

#define TW_REGISTER(NAME, OP)                                         \
  REGISTER_KERNEL_FOR_TYPES(                                          \
      Name(NAME).Device(DEVICE_CPU).TypeConstraint<int32_t>("T"),     \
      "output_type", Of<OP>::Int32, int32_t, int64_t, float, double); \
  REGISTER_KERNEL_FOR_TYPES(                                          \
      Name(NAME).Device(DEVICE_CPU).TypeConstraint<int64_t>("T"),     \
      "output_type", Of<OP>::Int64, int32_t, int64_t, float, double)
// A macro, because each kernel is listed with the source line that registers
// it.
TW_REGISTER("DenseCountSparseOutput", DenseCountOp);
TW_REGISTER("SparseCountSparseOutput", SparseCountOp);
TW_REGISTER("RaggedCountSparseOutput", RaggedCountOp);
#undef TW_REGISTER

}  // namespace tensorwright
