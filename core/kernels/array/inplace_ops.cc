// SPDX-License-Identifier: Apache-2.0
// Kernels of InplaceUpdate, InplaceAdd, InplaceSub, DeepCopy and Empty.
//
// The result has the memory of x where nothing else holds it, and is a copy of
// x where something does: no kernel changes what others read.

#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// to[...] = from[...], of one shape and dtype.
Status CopyElements(OpKernelContext* ctx, const Tensor& from, Tensor* to) {
  return DispatchElement(from.dtype(), [&]<typename T>(ElementTag<T>) {
    const T* const x = from.base<T>();
    T* const y = to->base<T>();
    if (x == y) return;
    ParallelFor(ctx, from.NumElements(), MoveCost<T>(),
                [x, y](int64_t begin, int64_t end) {
                  CopyRun(x + begin, end - begin, y + begin);
                });
  });
}

// Calls put(row of v, its elements, row of y) for each row that `i` names, in
// order and by one thread: rows may repeat.  Rows count modulo those of y.
template <typename T, typename PutFn>
void PutRows(const Tensor& i, const Tensor& v, Tensor* y, PutFn put) {
  const int64_t rows = y->dim_size(0);
  if (v.NumElements() == 0) return;
  const int64_t size = y->NumElements() / rows;
  const T* from = v.base<T>();
  for (const int32_t row : Flat<int32_t>(i)) {
    const int64_t at = (row % rows + rows) % rows;
    put(from, size, y->base<T>() + at * size);
    from += size;
  }
}

// x: [rows, ...], i: [n], v: [n, ...] -> x with rows i changed by those of v.
class InplaceOpBase : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) final {
    const Tensor& x = ctx->input(0);
    const Tensor& i = ctx->input(1);
    const Tensor& v = ctx->input(2);
    OP_REQUIRES(ctx, x.dims() >= 1,
                errors::InvalidArgument(type_string(),
                                        ": x must have rank >= 1, got shape ",
                                        x.shape().DebugString()));
    OP_REQUIRES(
        ctx, i.dims() == 1,
        errors::InvalidArgument(type_string(), ": i must be a vector, got ",
                                "shape ", i.shape().DebugString()));
    TensorShape rows = x.shape();
    rows.set_dim(0, i.dim_size(0));
    OP_REQUIRES(ctx, v.shape() == rows,
                errors::InvalidArgument(type_string(),
                                        ": v must have a row of x for each "
                                        "element of i, ",
                                        rows.DebugString(), ", got shape ",
                                        v.shape().DebugString()));
    OP_REQUIRES(
        ctx, x.dim_size(0) > 0 || i.NumElements() == 0,
        errors::InvalidArgument(type_string(), ": x must have rows, got shape ",
                                x.shape().DebugString()));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    OP_REQUIRES_OK(ctx, CopyElements(ctx, x, y));
    OP_REQUIRES_OK(ctx, Put(i, v, y));
  }

 private:
  // All has been checked.
  virtual Status Put(const Tensor& i, const Tensor& v, Tensor* y) const = 0;
};

class InplaceUpdateOp final : public InplaceOpBase {
 public:
  using InplaceOpBase::InplaceOpBase;

 private:
  Status Put(const Tensor& i, const Tensor& v, Tensor* y) const override {
    return DispatchElement(y->dtype(), [&]<typename T>(ElementTag<T>) {
      PutRows<T>(i, v, y, CopyRun<T>);
    });
  }
};

template <typename T, template <typename> class F>
class InplaceArithmeticOp final : public InplaceOpBase {
 public:
  using InplaceOpBase::InplaceOpBase;

 private:
  Status Put(const Tensor& i, const Tensor& v, Tensor* y) const override {
    PutRows<T>(i, v, y, [](const T* from, int64_t n, T* to) {
      using C = ComputeType<T>;
      for (int64_t j = 0; j < n; ++j) {
        to[j] = static_cast<T>(
            F<C>()(static_cast<C>(to[j]), static_cast<C>(from[j])));
      }
    });
    return OkStatus();
  }
};

template <typename T>
using InplaceAddOp = InplaceArithmeticOp<T, functor::Add>;
template <typename T>
using InplaceSubOp = InplaceArithmeticOp<T, functor::Sub>;

class DeepCopyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));
    OP_REQUIRES_OK(ctx, CopyElements(ctx, ctx->input(0), y));
  }
};

// shape: [n] -> zeros, or empty strings.  Attr init may leave the elements
// undefined, which would show what the memory held before.
class EmptyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->input(0);
    OP_REQUIRES(
        ctx, sizes.dims() == 1,
        errors::InvalidArgument("Empty: shape must be a vector, got shape ",
                                sizes.shape().DebugString()));
    TensorShape shape;
    for (const int32_t size : Flat<int32_t>(sizes)) {
      OP_REQUIRES(ctx, size >= 0,
                  errors::InvalidArgument("Empty: sizes in shape must be >= 0, "
                                          "got ",
                                          size));
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(size));
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    OP_REQUIRES_OK(
        ctx, DispatchElement(output->dtype(), [&]<typename T>(ElementTag<T>) {
          FillRun(T(), output->NumElements(), output->base<T>());
        }));
  }
};

}  // namespace

REGISTER_KERNEL_BUILDER(
    Name("InplaceUpdate").Device(DEVICE_CPU).HostMemory("i"), InplaceUpdateOp);
REGISTER_KERNEL_FOR_TYPES(Name("InplaceAdd").Device(DEVICE_CPU).HostMemory("i"),
                          "T", InplaceAddOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("InplaceSub").Device(DEVICE_CPU).HostMemory("i"),
                          "T", InplaceSubOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_BUILDER(Name("DeepCopy").Device(DEVICE_CPU), DeepCopyOp);
template <typename T>
using EmptyOpOf = EmptyOp;
REGISTER_KERNEL_FOR_TYPES(Name("Empty").Device(DEVICE_CPU).HostMemory("shape"),
                          "dtype", EmptyOpOf, int8, int16, int32, int64_t,
                          uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double, complex64, complex128,
                          bool, tstring);

}  // namespace tensorwright
