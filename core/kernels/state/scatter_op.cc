// SPDX-License-Identifier: Apache-2.0
// ScatterUpdate, ScatterAdd and the like: they update slices of a variable in
// place, by reference or by handle.

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/index_util.h"
#include "core/kernels/lib/variables.h"

namespace tensorwright {
namespace {

// Puts an update of a slice's size, or one number, into a slice of the
// variable.
struct Put {
  template <typename T>
  static void Run(const T* from, int64_t n, T* to) {
    CopyRun(from, n, to);
  }
  template <typename T>
  static void RunScalar(const T& from, int64_t n, T* to) {
    std::fill_n(to, n, from);
  }
};

// Updates each element by itself; fn(old, update) is the new value.
template <typename Fn>
struct Elementwise {
  template <typename T>
  static void Run(const T* from, int64_t n, T* to) {
    for (int64_t i = 0; i < n; ++i) to[i] = Fn::Apply(to[i], from[i]);
  }
  template <typename T>
  static void RunScalar(const T& from, int64_t n, T* to) {
    for (int64_t i = 0; i < n; ++i) to[i] = Fn::Apply(to[i], from);
  }
};
struct Sum {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Difference {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a - b);
  }
};
struct Product {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a * b);
  }
};
struct Quotient {
  // The smallest integer divided by -1 does not fit: it wraps around to itself.
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      if (b == -1) return static_cast<T>(T{0} - std::make_unsigned_t<T>(a));
    }
    return static_cast<T>(a / b);
  }
};
struct Smaller {
  template <typename T>
  static T Apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Larger {
  template <typename T>
  static T Apply(T a, T b) {
    return a < b ? b : a;
  }
};

// Goes through slices in order, because indices may repeat.
template <typename Update, typename T, typename Index>
void ScatterSlices(absl::Span<const Index> indices, const T* updates,
                   bool scalar_update, int64_t slice, T* ref) {
  for (size_t i = 0; i < indices.size(); ++i) {
    T* to = ref + indices[i] * slice;
    if (scalar_update) {
      Update::RunScalar(*updates, slice, to);
    } else {
      Update::Run(updates + i * slice, slice, to);
    }
  }
}

class ScatterOpBase : public OpKernel {
 public:
  explicit ScatterOpBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    // The ops on handles lack this attr, and always lock.
    if (ctx->HasAttr("use_locking")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("use_locking", &use_locking_));
    }
  }

  void Compute(OpKernelContext* ctx) final {
    WritableVariables variables;
    OP_REQUIRES_OK(ctx, variables.Open(ctx, {0}, input_type(2), use_locking_));
    Tensor& ref = variables[0];
    const Tensor& indices = ctx->input(1);
    const Tensor& updates = ctx->input(2);
    OP_REQUIRES(ctx, ref.IsInitialized(),
                errors::FailedPrecondition("Null ref for params"));
    OP_REQUIRES(
        ctx, ref.dims() >= 1,
        errors::InvalidArgument("params must be at least 1-D, got shape ",
                                ref.shape().DebugString()));
    TensorShape expected = indices.shape();
    int64_t slice = 1;
    for (int d = 1; d < ref.dims(); ++d) {
      OP_REQUIRES_OK(ctx, expected.AddDimWithStatus(ref.dim_size(d)));
      slice *= ref.dim_size(d);
    }
    OP_REQUIRES(ctx, updates.dims() == 0 || updates.shape() == expected,
                errors::InvalidArgument(
                    "Must have updates.shape = indices.shape + "
                    "params.shape[1:] or updates.shape = [], got "
                    "updates.shape ",
                    updates.shape().DebugString(), ", indices.shape ",
                    indices.shape().DebugString(), ", params.shape ",
                    ref.shape().DebugString()));
    OP_REQUIRES_OK(
        ctx, indices.dtype() == DT_INT32
                 ? CheckIndices<int32_t>(indices, ref.dim_size(0), "indices")
                 : CheckIndices<int64_t>(indices, ref.dim_size(0), "indices"));
    if (indices.NumElements() > 0) {
      OP_REQUIRES_OK(ctx, Scatter(indices, updates, slice, &ref));
    }
    if (IsRefType(input_type(0))) ctx->forward_ref_input_to_ref_output(0, 0);
  }

 protected:
  // All inputs have been checked.
  virtual Status Scatter(const Tensor& indices, const Tensor& updates,
                         int64_t slice, Tensor* ref) = 0;

 private:
  bool use_locking_ = false;
};

template <typename Update, typename T>
void ScatterTyped(const Tensor& indices, const Tensor& updates, int64_t slice,
                  Tensor* ref) {
  const bool scalar_update = updates.dims() == 0;
  if (indices.dtype() == DT_INT32) {
    ScatterSlices<Update, T>(Flat<int32_t>(indices), updates.base<T>(),
                             scalar_update, slice, ref->base<T>());
  } else {
    ScatterSlices<Update, T>(Flat<int64_t>(indices), updates.base<T>(),
                             scalar_update, slice, ref->base<T>());
  }
}

class ScatterUpdateOp final : public ScatterOpBase {
 public:
  using ScatterOpBase::ScatterOpBase;

 protected:
  Status Scatter(const Tensor& indices, const Tensor& updates, int64_t slice,
                 Tensor* ref) override {
    return DispatchElement(ref->dtype(), [&]<typename T>(ElementTag<T>) {
      ScatterTyped<Put, T>(indices, updates, slice, ref);
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("ScatterUpdate").Device(DEVICE_CPU),
                        ScatterUpdateOp);
REGISTER_KERNEL_BUILDER(
    Name("ResourceScatterUpdate").Device(DEVICE_CPU).HostMemory("resource"),
    ScatterUpdateOp);

template <typename T, typename Fn>
class ScatterArithmeticOp : public ScatterOpBase {
 public:
  using ScatterOpBase::ScatterOpBase;

 protected:
  Status Scatter(const Tensor& indices, const Tensor& updates, int64_t slice,
                 Tensor* ref) override {
    if (std::is_same_v<Fn, Quotient> && std::is_integral_v<T>) {
      for (const T& divisor : Flat<T>(updates)) {
        if (divisor == T(0)) {
          return errors::InvalidArgument(
              type_string(), ": integer division by zero in updates");
        }
      }
    }
    ScatterTyped<Elementwise<Fn>, T>(indices, updates, slice, ref);
    return OkStatus();
  }
};
template <typename T>
using ScatterAddOp = ScatterArithmeticOp<T, Sum>;
template <typename T>
using ScatterSubOp = ScatterArithmeticOp<T, Difference>;
template <typename T>
using ScatterMulOp = ScatterArithmeticOp<T, Product>;
template <typename T>
using ScatterDivOp = ScatterArithmeticOp<T, Quotient>;
template <typename T>
using ScatterMinOp = ScatterArithmeticOp<T, Smaller>;
template <typename T>
using ScatterMaxOp = ScatterArithmeticOp<T, Larger>;
REGISTER_KERNEL_FOR_TYPES(Name("ScatterAdd").Device(DEVICE_CPU), "T",
                          ScatterAddOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterSub").Device(DEVICE_CPU), "T",
                          ScatterSubOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterMul").Device(DEVICE_CPU), "T",
                          ScatterMulOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterDiv").Device(DEVICE_CPU), "T",
                          ScatterDivOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterMin").Device(DEVICE_CPU), "T",
                          ScatterMinOp, float, double, half, bfloat16, int32_t,
                          int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterMax").Device(DEVICE_CPU), "T",
                          ScatterMaxOp, float, double, half, bfloat16, int32_t,
                          int64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterAdd").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", ScatterAddOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
    complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterSub").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", ScatterSubOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
    complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterMul").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", ScatterMulOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
    complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterDiv").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", ScatterDivOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
    complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterMin").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", ScatterMinOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterMax").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", ScatterMaxOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t);

}  // namespace
}  // namespace tensorwright
