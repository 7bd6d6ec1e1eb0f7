// SPDX-License-Identifier: Apache-2.0
// Kernels of MatMul, BatchMatMul, BatchMatMulV2 and BatchMatMulV3.

#include "core/kernels/math/matmul_op.h"

#include <algorithm>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/matmul.h"
#include "core/kernels/lib/matmul_bfloat16.h"
#include "core/kernels/lib/matmul_choose.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/lib/core/errors.h"
#include "core/util/bcast.h"
#include "core/util/work_sharder.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

template <typename T>
Status MatrixProducts(OpKernelContext* ctx, const MatMulArgs& args,
                      const Tensor& a, const Tensor& b, Tensor* product) {
  if (product->NumElements() == 0) return OkStatus();
  if (args.k == 0) {
    std::fill_n(product->base<T>(), product->NumElements(), T(0));
    return OkStatus();
  }
  if constexpr (std::is_same_v<T, Eigen::bfloat16>) {
    if (ChooseMatMul(DT_BFLOAT16, args, MultipliesBfloat16()) ==
        MatMulAlgorithm::kBfloat16) {
      return MatMulBfloat16(ctx, args, a.base<T>(), b.base<T>(),
                            product->base<T>());
    }
  }
  if constexpr (kIsStorageOnly<T>) {
    const auto run = [&](const float* x, const float* y, float* z) {
      return MatMulFloat(ctx, args, x, y, z);
    };
    return RunAsFloat<T>(ctx, a, b, product, run);
  } else if constexpr (std::is_same_v<T, float>) {
    return MatMulFloat(ctx, args, a.base<T>(), b.base<T>(), product->base<T>());
  } else {
    return MatMulGeneric<T>(ctx, args, a.base<T>(), b.base<T>(),
                            product->base<T>());
  }
}

template <typename T>
class MatMulOp final : public OpKernel,
                       public OneDnnUnlessWide<T, dnnl::matmul> {
 public:
  explicit MatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    OP_REQUIRES(ctx, a.dims() == 2 && b.dims() == 2,
                errors::InvalidArgument(
                    "MatMul: In[0] and In[1] must be matrices, got ",
                    a.shape().DebugString(), " and ", b.shape().DebugString()));
    MatMulArgs args;
    args.transpose_a = transpose_a_;
    args.transpose_b = transpose_b_;
    args.m = a.dim_size(transpose_a_ ? 1 : 0);
    args.k = a.dim_size(transpose_a_ ? 0 : 1);
    args.n = b.dim_size(transpose_b_ ? 0 : 1);
    OP_REQUIRES(
        ctx, args.k == b.dim_size(transpose_b_ ? 1 : 0),
        errors::InvalidArgument("MatMul: Matrix size-incompatible: In[0]: ",
                                a.shape().DebugString(),
                                ", In[1]: ", b.shape().DebugString()));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({args.m, args.n}), &product));
    OP_REQUIRES_OK(ctx, MatrixProducts<T>(ctx, args, a, b, product));
  }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

template <typename T>
class BatchMatMulOp : public OpKernel,
                      public OneDnnUnlessWide<T, dnnl::matmul> {
 public:
  explicit BatchMatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adj_x", &adj_x_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adj_y", &adj_y_));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor x, y;
    OP_REQUIRES_OK(ctx, Operand(ctx, 0, &x));
    OP_REQUIRES_OK(ctx, Operand(ctx, 1, &y));
    if (type_string() != "BatchMatMul") {
      OP_REQUIRES_OK(ctx, Broadcast(ctx, &x, &y));
    }
    const int rank = x.dims();
    OP_REQUIRES(ctx, rank >= 2 && rank == y.dims(),
                errors::InvalidArgument(
                    "BatchMatMul: In[0] and In[1] must have one rank >= 2, "
                    "got ",
                    x.shape().DebugString(), " and ", y.shape().DebugString()));
    MatMulArgs args;
    TensorShape shape;
    for (int i = 0; i < rank - 2; ++i) {
      OP_REQUIRES(ctx, x.dim_size(i) == y.dim_size(i),
                  errors::InvalidArgument(
                      "BatchMatMul: In[0].dim(", i, ") and In[1].dim(", i,
                      ") must be the same: ", x.shape().DebugString(), " vs ",
                      y.shape().DebugString()));
      args.batch *= x.dim_size(i);
      shape.AddDim(x.dim_size(i));
    }
    args.transpose_a = adj_x_;
    args.transpose_b = adj_y_;
    args.m = x.dim_size(adj_x_ ? rank - 1 : rank - 2);
    args.k = x.dim_size(adj_x_ ? rank - 2 : rank - 1);
    args.n = y.dim_size(adj_y_ ? rank - 2 : rank - 1);
    OP_REQUIRES(
        ctx, args.k == y.dim_size(adj_y_ ? rank - 1 : rank - 2),
        errors::InvalidArgument(
            "BatchMatMul: Matrix size-incompatible: In[0]: ",
            x.shape().DebugString(), ", In[1]: ", y.shape().DebugString()));
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(args.m));
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(args.n));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &product));
    if constexpr (functor::kIsComplex<T>) {
      if (adj_x_) OP_REQUIRES_OK(ctx, Conjugate(ctx, &x));
      if (adj_y_) OP_REQUIRES_OK(ctx, Conjugate(ctx, &y));
    }
    OP_REQUIRES_OK(ctx, MatrixProducts<T>(ctx, args, x, y, product));
  }

 protected:
  // Input i as a tensor of T.
  virtual Status Operand(OpKernelContext* ctx, int i, Tensor* operand) const {
    *operand = ctx->input(i);
    return OkStatus();
  }

 private:
  // Repeats the matrices of x or y, or both, until both have one batch.
  Status Broadcast(OpKernelContext* ctx, Tensor* x, Tensor* y) const {
    const auto batch_of = [](const Tensor& t) {
      BCast::Vec sizes = BCast::FromShape(t.shape());
      sizes.resize(sizes.size() - 2);
      return sizes;
    };
    const BCast::Vec batch_x = batch_of(*x), batch_y = batch_of(*y);
    if (batch_x == batch_y) return OkStatus();
    const BCast bcast(batch_x, batch_y);
    if (!bcast.IsValid()) {
      return errors::InvalidArgument(
          type_string(), ": the batches of In[0] and In[1] must broadcast: ",
          x->shape().DebugString(), " vs ", y->shape().DebugString());
    }
    TF_RETURN_IF_ERROR(Repeat(ctx, bcast.x_reshape(), bcast, x));
    return Repeat(ctx, bcast.y_reshape(), bcast, y);
  }

  // `batch` is the batch shape of t, with as many dimensions as the result's.
  static Status Repeat(OpKernelContext* ctx, const BCast::Vec& batch,
                       const BCast& bcast, Tensor* t) {
    TensorShape shape;
    for (const int64_t size : bcast.output_shape()) {
      TF_RETURN_IF_ERROR(shape.AddDimWithStatus(size));
    }
    const int rank = t->dims();
    TF_RETURN_IF_ERROR(shape.AddDimWithStatus(t->dim_size(rank - 2)));
    TF_RETURN_IF_ERROR(shape.AddDimWithStatus(t->dim_size(rank - 1)));
    Tensor copy;
    if (batch == bcast.result_shape()) {
      if (!copy.CopyFrom(*t, shape)) {
        return errors::Internal("BatchMatMul: no reshape");
      }
      *t = copy;
      return OkStatus();
    }
    TF_RETURN_IF_ERROR(ctx->allocate_temp(t->dtype(), shape, &copy));
    const int64_t matrix = t->dim_size(rank - 2) * t->dim_size(rank - 1);
    CopyRepeated(batch, bcast.result_shape(), 0, matrix, t->base<T>(),
                 copy.base<T>());
    *t = copy;
    return OkStatus();
  }

  // Returns the end of the part of `to` that it wrote.
  static T* CopyRepeated(const BCast::Vec& batch, const BCast::Vec& result,
                         size_t d, int64_t matrix, const T* from, T* to) {
    if (d == result.size()) return std::copy_n(from, matrix, to);
    int64_t step = matrix;
    for (size_t e = d + 1; e < batch.size(); ++e) step *= batch[e];
    for (int64_t i = 0; i < result[d]; ++i) {
      to = CopyRepeated(batch, result, d + 1, matrix,
                        from + (batch[d] == 1 ? 0 : i * step), to);
    }
    return to;
  }

  // Replaces `t` by its conjugate, in a copy.
  static Status Conjugate(OpKernelContext* ctx, Tensor* t) {
    Tensor copy;
    TF_RETURN_IF_ERROR(ctx->allocate_temp(t->dtype(), t->shape(), &copy));
    const T* from = t->base<T>();
    T* to = copy.base<T>();
    for (int64_t i = 0; i < t->NumElements(); ++i) {
      to[i] = functor::Conjugate(from[i]);
    }
    *t = copy;
    return OkStatus();
  }

  bool adj_x_ = false;
  bool adj_y_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("MatMul").Device(DEVICE_CPU), "T", MatMulOp,
                          float, Eigen::half, Eigen::bfloat16, double, int32,
                          int64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatMul").Device(DEVICE_CPU), "T",
                          BatchMatMulOp, float, Eigen::half, Eigen::bfloat16,
                          double, int32, int64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatMulV2").Device(DEVICE_CPU), "T",
                          BatchMatMulOp, float, Eigen::half, Eigen::bfloat16,
                          double, int16, int32, int64_t, complex64, complex128);

// ---- BatchMatMulV3 ---------------------------------------------------------

// Its operands are converted to the type of the result.  The products of
// bytes are summed in int32; a byte is a bfloat16 without rounding.
template <typename Ta, typename Tb, typename Tout>
class MixedBatchMatMulOp final : public BatchMatMulOp<Tout> {
 public:
  using BatchMatMulOp<Tout>::BatchMatMulOp;

 protected:
  Status Operand(OpKernelContext* ctx, int i, Tensor* operand) const override {
    return i == 0 ? Convert<Ta>(ctx, ctx->input(0), operand)
                  : Convert<Tb>(ctx, ctx->input(1), operand);
  }

 private:
  template <typename T>
  static Status Convert(OpKernelContext* ctx, const Tensor& from, Tensor* to) {
    if constexpr (std::is_same_v<T, Tout>) {
      *to = from;
      return OkStatus();
    } else {
      TF_RETURN_IF_ERROR(
          ctx->allocate_temp(DataTypeToEnum<Tout>::value, from.shape(), to));
      const T* const x = from.base<T>();
      Tout* const y = to->base<Tout>();
      ParallelFor(ctx, from.NumElements(), 1, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) y[i] = static_cast<Tout>(x[i]);
      });
      return OkStatus();
    }
  }
};

// Three attrs are constrained at once, which REGISTER_KERNEL_FOR_TYPES does not
// do.
#define TW_BATCH_MATMUL_V3(a, b, out)                       \
  REGISTER_KERNEL_BUILDER(Name("BatchMatMulV3")             \
                              .Device(DEVICE_CPU)           \
                              .TypeConstraint<a>("Ta")      \
                              .TypeConstraint<b>("Tb")      \
                              .TypeConstraint<out>("Tout"), \
                          MixedBatchMatMulOp<a, b, out>)
TW_BATCH_MATMUL_V3(float, float, float);
TW_BATCH_MATMUL_V3(double, double, double);
TW_BATCH_MATMUL_V3(Eigen::bfloat16, Eigen::bfloat16, Eigen::bfloat16);
TW_BATCH_MATMUL_V3(int16, int16, int16);
TW_BATCH_MATMUL_V3(int32, int32, int32);
TW_BATCH_MATMUL_V3(int64_t, int64_t, int64_t);
TW_BATCH_MATMUL_V3(complex64, complex64, complex64);
TW_BATCH_MATMUL_V3(complex128, complex128, complex128);
TW_BATCH_MATMUL_V3(int8, int8, int32);
TW_BATCH_MATMUL_V3(int8, uint8, int32);
TW_BATCH_MATMUL_V3(uint8, int8, int32);
TW_BATCH_MATMUL_V3(uint8, uint8, int32);
TW_BATCH_MATMUL_V3(int8, Eigen::bfloat16, Eigen::bfloat16);
TW_BATCH_MATMUL_V3(uint8, Eigen::bfloat16, Eigen::bfloat16);
TW_BATCH_MATMUL_V3(Eigen::bfloat16, int8, Eigen::bfloat16);
TW_BATCH_MATMUL_V3(Eigen::bfloat16, uint8, Eigen::bfloat16);
#undef TW_BATCH_MATMUL_V3

}  // namespace tensorwright
