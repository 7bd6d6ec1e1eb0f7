// SPDX-License-Identifier: Apache-2.0
// The kernels of DenseBincount, SparseBincount and RaggedBincount: they count
// into the bins of a vector, or of each row of a matrix.

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/lib/core/errors.h"
#include "core/util/overflow.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// How much an element adds to its bin.
template <typename T>
struct Weights {
  const T* data = nullptr;  // Null: each element adds 1.
  bool binary = false;      // A bin that has any element gets 1.

  void AddTo(T* bin, int64_t i) const {
    *bin = binary ? T(1)
                  : functor::Add<T>()(*bin, data == nullptr ? T(1) : data[i]);
  }
};

}  // namespace

// Reads attr binary_output.  T is the type of the weights, Tidx that of the
// values that are counted.
template <typename T, typename Tidx>
class RowBincountOp : public OpKernel {
 public:
  explicit RowBincountOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("binary_output", &binary_));
  }

 protected:
  // Reads the size, a scalar, and the weights, of which there are as many as
  // values, or none.
  Status Read(OpKernelContext* ctx, int size_input, const Tensor& values,
              bool of_one_shape, int64_t* size, Weights<T>* weights) const {
    *size = static_cast<int64_t>(*ctx->input(size_input).base<Tidx>());
    if (*size < 0) {
      return errors::InvalidArgument(type_string(), ": size must be >= 0, got ",
                                     *size);
    }
    const Tensor& given = ctx->input(size_input + 1);
    const bool fits = of_one_shape
                          ? given.shape() == values.shape()
                          : given.NumElements() == values.NumElements();
    if (given.NumElements() > 0 && !fits) {
      return errors::InvalidArgument(
          type_string(),
          ": weights must be empty or have the shape of the values, got ",
          given.shape().DebugString(), " and values ",
          values.shape().DebugString());
    }
    weights->binary = binary_;
    if (given.NumElements() > 0) weights->data = given.base<T>();
    return OkStatus();
  }

  // Allocates bins of zeros: [size], or [rows, size] unless rows is negative.
  static Status MakeBins(OpKernelContext* ctx, int64_t rows, int64_t size,
                         T** bins) {
    TensorShape shape;
    if (rows < 0) {
      TF_RETURN_IF_ERROR(TensorShape::BuildTensorShape({size}, &shape));
    } else {
      TF_RETURN_IF_ERROR(TensorShape::BuildTensorShape({rows, size}, &shape));
    }
    Tensor* out = nullptr;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, shape, &out));
    *bins = out->base<T>();
    std::fill_n(*bins, out->NumElements(), T(0));
    return OkStatus();
  }

  Status Negative(const Tensor& values) const {
    const Tidx* data = values.base<Tidx>();
    return errors::InvalidArgument(
        type_string(), ": values must be non-negative, got ",
        *std::min_element(data, data + values.NumElements()));
  }

  // Adds values [begin, end) to a row of bins; false if one is negative.
  static bool AddRow(const Tidx* values, int64_t begin, int64_t end,
                     int64_t size, const Weights<T>& weights, T* bins) {
    Tidx signs = 0;
    for (int64_t i = begin; i < end; ++i) {
      const Tidx value = values[i];
      signs |= value;
      if (value >= 0 && value < size) weights.AddTo(bins + value, i);
    }
    return signs >= 0;
  }

 private:
  bool binary_ = false;
};

// input: a scalar, [n] or [rows, n].
template <typename T, typename Tidx>
class DenseBincountOp final : public RowBincountOp<T, Tidx> {
 public:
  using RowBincountOp<T, Tidx>::RowBincountOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    int64_t size;
    Weights<T> weights;
    OP_REQUIRES_OK(ctx, this->Read(ctx, 1, input, true, &size, &weights));
    const int64_t rows = input.dims() == 2 ? input.dim_size(0) : -1;
    T* bins;
    OP_REQUIRES_OK(ctx, this->MakeBins(ctx, rows, size, &bins));
    const int64_t n = rows < 0 ? input.NumElements() : input.dim_size(1);
    const Tidx* const values = input.base<Tidx>();
    for (int64_t r = 0; r < std::max<int64_t>(rows, 1) && (rows != 0); ++r) {
      OP_REQUIRES(ctx,
                  this->AddRow(values, r * n, (r + 1) * n, size, weights,
                               bins + r * size),
                  this->Negative(input));
    }
  }
};

// values [n] with indices [n, rank] in dense_shape [rank]: the first coordinate
// is the row; a vector has one row.  Negative values are in no bin, as in
// TensorFlow.
template <typename T, typename Tidx>
class SparseBincountOp final : public RowBincountOp<T, Tidx> {
 public:
  using RowBincountOp<T, Tidx>::RowBincountOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& values = ctx->input(1);
    const Tensor& shape = ctx->input(2);
    int64_t size;
    Weights<T> weights;
    OP_REQUIRES_OK(ctx, this->Read(ctx, 3, values, false, &size, &weights));
    const int64_t rank = shape.NumElements(), n = values.NumElements();
    const int64_t* const sizes = shape.base<int64_t>();
    const int64_t* const at = indices.base<int64_t>();
    for (int64_t d = 0; d < rank; ++d) {
      OP_REQUIRES(ctx, sizes[d] >= 0,
                  errors::InvalidArgument(
                      "SparseBincount: dense_shape must not be negative, got ",
                      sizes[d]));
    }
    for (int64_t i = 0; i < n * rank; ++i) {
      OP_REQUIRES(ctx, at[i] >= 0 && at[i] < sizes[i % rank],
                  errors::InvalidArgument("SparseBincount: indices[", i / rank,
                                          ", ", i % rank, "] must be in [0, ",
                                          sizes[i % rank], "), got ", at[i]));
    }
    T* bins;
    OP_REQUIRES_OK(ctx,
                   this->MakeBins(ctx, rank == 1 ? -1 : sizes[0], size, &bins));
    const Tidx* const counted = values.base<Tidx>();
    for (int64_t i = 0; i < n; ++i) {
      if (counted[i] < 0 || counted[i] >= size) continue;
      const int64_t row = rank == 1 ? 0 : at[i * rank];
      weights.AddTo(bins + row * size + counted[i], i);
    }
  }
};

// values [n]: row r has those from splits[r] to splits[r + 1].
template <typename T, typename Tidx>
class RaggedBincountOp final : public RowBincountOp<T, Tidx> {
 public:
  using RowBincountOp<T, Tidx>::RowBincountOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& splits = ctx->input(0);
    const Tensor& values = ctx->input(1);
    int64_t size;
    Weights<T> weights;
    OP_REQUIRES_OK(ctx, this->Read(ctx, 2, values, false, &size, &weights));
    const int64_t rows = splits.NumElements() - 1;
    OP_REQUIRES(ctx, rows >= 0,
                errors::InvalidArgument(
                    "RaggedBincount: splits must have an element at least"));
    const int64_t* const ends = splits.base<int64_t>();
    bool ordered = ends[0] == 0 && ends[rows] == values.NumElements();
    for (int64_t r = 0; r < rows; ++r) {
      ordered = ordered && ends[r] <= ends[r + 1];
    }
    OP_REQUIRES(ctx, ordered,
                errors::InvalidArgument(
                    "RaggedBincount: splits must start with 0, not decrease "
                    "and end with the number of values, ",
                    values.NumElements(), ", got ", splits.SummarizeValue(8)));
    T* bins;
    OP_REQUIRES_OK(ctx, this->MakeBins(ctx, rows, size, &bins));
    for (int64_t r = 0; r < rows; ++r) {
      OP_REQUIRES(ctx,
                  this->AddRow(values.base<Tidx>(), ends[r], ends[r + 1], size,
                               weights, bins + r * size),
                  this->Negative(values));
    }
  }
};

namespace {

template <template <typename, typename> class Op>
struct Of {
  template <typename T>
  using Int32 = Op<T, int32_t>;
  template <typename T>
  using Int64 = Op<T, int64_t>;
};

}  // namespace

#define TW_REGISTER(NAME, OP)                                            \
  REGISTER_KERNEL_FOR_TYPES(Name(NAME)                                   \
                                .Device(DEVICE_CPU)                      \
                                .TypeConstraint<int32_t>("Tidx")         \
                                .HostMemory("size"),                     \
                            "T", Of<OP>::Int32, int32_t, int64_t, float, \
                            double);                                     \
  REGISTER_KERNEL_FOR_TYPES(Name(NAME)                                   \
                                .Device(DEVICE_CPU)                      \
                                .TypeConstraint<int64_t>("Tidx")         \
                                .HostMemory("size"),                     \
                            "T", Of<OP>::Int64, int32_t, int64_t, float, \
                            double)
// A macro, because each kernel is listed with the source line that registers
// it.
TW_REGISTER("DenseBincount", DenseBincountOp);
TW_REGISTER("SparseBincount", SparseBincountOp);
TW_REGISTER("RaggedBincount", RaggedBincountOp);
#undef TW_REGISTER

}  // namespace tensorwright
