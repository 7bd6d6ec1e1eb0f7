// SPDX-License-Identifier: Apache-2.0
// Slices at coordinates: ScatterNd; ScatterNdNonAliasingAdd and TensorScatter*,
// which make another tensor; ScatterNdUpdate, ScatterNdAdd and their kin for
// variables, by reference or behind handles.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/scatter_nd_op_shapes.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/index_util.h"
#include "core/kernels/lib/variables.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// to[i] += from[i]; "or" for bool, joining for strings.
template <typename T>
void AddRun(const T* from, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      to[i] = to[i] || from[i];
    } else {
      to[i] = static_cast<T>(to[i] + from[i]);
    }
  }
}

// to[i] -= from[i]; "unequal" for bool.
template <typename T>
void SubtractRun(const T* from, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(to[i] - from[i]);
}

// to[i] = min(to[i], from[i]).
template <typename T>
void SmallerRun(const T* from, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] < to[i] ? from[i] : to[i];
}

// to[i] = max(to[i], from[i]).
template <typename T>
void LargerRun(const T* from, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = to[i] < from[i] ? from[i] : to[i];
}

// Finds the slices of a tensor of shape `whole` that indices name, checked, and
// the number of elements of one.
Status FindSlices(const Tensor& indices, const TensorShape& updates,
                  const TensorShape& whole, absl::string_view what,
                  BadIndices policy, std::vector<int64_t>* slices,
                  int64_t* slice) {
  TF_RETURN_IF_ERROR(CheckShapes(indices, updates, whole));
  const CoordinateSpace space =
      MakeCoordinateSpace(whole, indices.dim_size(indices.dims() - 1));
  TensorShape rows = indices.shape();
  rows.RemoveLastDims(1);
  slices->resize(rows.num_elements());
  *slice = space.slice;
  switch (indices.dtype()) {
    case DT_UINT16:
      return SlicesAt<uint16_t>(space, indices, whole, what, policy, slices);
    case DT_INT16:
      return SlicesAt<int16_t>(space, indices, whole, what, policy, slices);
    case DT_INT32:
      return SlicesAt<int32_t>(space, indices, whole, what, policy, slices);
    default:
      return SlicesAt<int64_t>(space, indices, whole, what, policy, slices);
  }
}

// Calls put(update, count, to) for each slice, in order and on one thread,
// since coordinates may repeat.
template <typename T, typename Put>
void PutSlices(absl::Span<const int64_t> slices, int64_t slice,
               const T* updates, T* whole, Put put) {
  for (size_t i = 0; i < slices.size(); ++i) {
    if (slices[i] < 0) continue;
    put(updates + i * slice, slice, whole + slices[i] * slice);
  }
}

template <typename T>
class ScatterNdOp final : public OpKernel {
 public:
  explicit ScatterNdOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadBadIndicesPolicy(ctx, &bad_indices_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& updates = ctx->input(1);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(2), &shape));
    std::vector<int64_t> slices;
    int64_t slice = 0;
    OP_REQUIRES_OK(ctx, FindSlices(indices, updates.shape(), shape, "shape",
                                   bad_indices_, &slices, &slice));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    T* base = out->base<T>();
    ParallelFor(ctx, out->NumElements(), /*cost_per_unit=*/1,
                [base](int64_t begin, int64_t end) {
                  FillRun(T(), end - begin, base + begin);
                });
    PutSlices(slices, slice, updates.base<T>(), base, AddRun<T>);
  }

 private:
  BadIndices bad_indices_;
};
REGISTER_KERNEL_FOR_TYPES(
    Name("ScatterNd").Device(DEVICE_CPU).HostMemory("shape"), "T", ScatterNdOp,
    float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
    uint16_t, uint32_t, uint64_t, complex64, complex128, bool, std::string);

// Puts slices into a copy of the input, or into the input itself if nobody else
// needs it.
class TensorScatterBase : public OpKernel {
 public:
  explicit TensorScatterBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadBadIndicesPolicy(ctx, &bad_indices_));
  }

  void Compute(OpKernelContext* ctx) final {
    const Tensor& in = ctx->input(0);
    const Tensor& updates = ctx->input(2);
    std::vector<int64_t> slices;
    int64_t slice = 0;
    OP_REQUIRES_OK(ctx, FindSlices(ctx->input(1), updates.shape(), in.shape(),
                                   "params", bad_indices_, &slices, &slice));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, in.shape(), &out));
    OP_REQUIRES_OK(
        ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
          const T* from = in.base<T>();
          T* to = out->base<T>();
          if (from == to) return;
          ParallelFor(ctx, in.NumElements(), MoveCost<T>(),
                      [from, to](int64_t begin, int64_t end) {
                        CopyRun(from + begin, end - begin, to + begin);
                      });
        }));
    OP_REQUIRES_OK(ctx, Put(slices, slice, updates, out));
  }

 protected:
  // All arguments have been checked.
  virtual Status Put(absl::Span<const int64_t> slices, int64_t slice,
                     const Tensor& updates, Tensor* out) = 0;

 private:
  BadIndices bad_indices_;
};

// Base is TensorScatterBase or ScatterNdRefOp.
template <typename Base>
class PutOp final : public Base {
 public:
  using Base::Base;

 protected:
  Status Put(absl::Span<const int64_t> slices, int64_t slice,
             const Tensor& updates, Tensor* whole) override {
    return DispatchElement(whole->dtype(), [&]<typename T>(ElementTag<T>) {
      PutSlices(slices, slice, updates.base<T>(), whole->base<T>(), CopyRun<T>);
    });
  }
};

template <typename Base, typename T, void (*Run)(const T*, int64_t, T*)>
class CombineOp final : public Base {
 public:
  using Base::Base;

 protected:
  Status Put(absl::Span<const int64_t> slices, int64_t slice,
             const Tensor& updates, Tensor* whole) override {
    PutSlices(slices, slice, updates.base<T>(), whole->base<T>(), Run);
    return OkStatus();
  }
};

using TensorScatterUpdateOp = PutOp<TensorScatterBase>;
template <typename T>
using TensorScatterAddOp = CombineOp<TensorScatterBase, T, AddRun<T>>;
template <typename T>
using TensorScatterSubOp = CombineOp<TensorScatterBase, T, SubtractRun<T>>;
template <typename T>
using TensorScatterMinOp = CombineOp<TensorScatterBase, T, SmallerRun<T>>;
template <typename T>
using TensorScatterMaxOp = CombineOp<TensorScatterBase, T, LargerRun<T>>;
REGISTER_KERNEL_FOR_TYPES(Name("ScatterNdNonAliasingAdd").Device(DEVICE_CPU),
                          "T", TensorScatterAddOp, float, double, half,
                          bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                          uint16_t, uint32_t, uint64_t, complex64, complex128,
                          bool);
REGISTER_KERNEL_BUILDER(Name("TensorScatterUpdate").Device(DEVICE_CPU),
                        TensorScatterUpdateOp);
REGISTER_KERNEL_FOR_TYPES(Name("TensorScatterAdd").Device(DEVICE_CPU), "T",
                          TensorScatterAddOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128, bool,
                          std::string);
REGISTER_KERNEL_FOR_TYPES(Name("TensorScatterSub").Device(DEVICE_CPU), "T",
                          TensorScatterSubOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("TensorScatterMin").Device(DEVICE_CPU), "T",
                          TensorScatterMinOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(Name("TensorScatterMax").Device(DEVICE_CPU), "T",
                          TensorScatterMaxOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);

class ScatterNdRefOp : public OpKernel {
 public:
  explicit ScatterNdRefOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_locking", &use_locking_));
    OP_REQUIRES_OK(ctx, ReadBadIndicesPolicy(ctx, &bad_indices_));
  }

  void Compute(OpKernelContext* ctx) final {
    const Tensor& updates = ctx->input(2);
    WritableVariables variables;
    OP_REQUIRES_OK(ctx,
                   variables.Open(ctx, {0}, updates.dtype(), use_locking_));
    Tensor& ref = variables[0];
    OP_REQUIRES(ctx, ref.IsInitialized(),
                errors::FailedPrecondition("Null ref for params"));
    std::vector<int64_t> slices;
    int64_t slice = 0;
    OP_REQUIRES_OK(ctx, FindSlices(ctx->input(1), updates.shape(), ref.shape(),
                                   "params", bad_indices_, &slices, &slice));
    OP_REQUIRES_OK(ctx, Put(slices, slice, updates, &ref));
    if (IsRefType(input_type(0))) ctx->forward_ref_input_to_ref_output(0, 0);
  }

 protected:
  // All arguments have been checked.
  virtual Status Put(absl::Span<const int64_t> slices, int64_t slice,
                     const Tensor& updates, Tensor* ref) = 0;

 private:
  bool use_locking_ = false;
  BadIndices bad_indices_;
};

using ScatterNdUpdateOp = PutOp<ScatterNdRefOp>;
REGISTER_KERNEL_BUILDER(Name("ScatterNdUpdate").Device(DEVICE_CPU),
                        ScatterNdUpdateOp);
REGISTER_KERNEL_BUILDER(
    Name("ResourceScatterNdUpdate").Device(DEVICE_CPU).HostMemory("ref"),
    ScatterNdUpdateOp);

template <typename T>
using ScatterNdAddOp = CombineOp<ScatterNdRefOp, T, AddRun<T>>;
template <typename T>
using ScatterNdSubOp = CombineOp<ScatterNdRefOp, T, SubtractRun<T>>;
template <typename T>
using ScatterNdMinOp = CombineOp<ScatterNdRefOp, T, SmallerRun<T>>;
template <typename T>
using ScatterNdMaxOp = CombineOp<ScatterNdRefOp, T, LargerRun<T>>;
REGISTER_KERNEL_FOR_TYPES(Name("ScatterNdAdd").Device(DEVICE_CPU), "T",
                          ScatterNdAddOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterNdSub").Device(DEVICE_CPU), "T",
                          ScatterNdSubOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterNdMin").Device(DEVICE_CPU), "T",
                          ScatterNdMinOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(Name("ScatterNdMax").Device(DEVICE_CPU), "T",
                          ScatterNdMaxOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterNdAdd").Device(DEVICE_CPU).HostMemory("ref"), "T",
    ScatterNdAddOp, float, double, half, bfloat16, int8_t, int16_t, int32_t,
    int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64, complex128,
    bool);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterNdSub").Device(DEVICE_CPU).HostMemory("ref"), "T",
    ScatterNdSubOp, float, double, half, bfloat16, int8_t, int16_t, int32_t,
    int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64, complex128,
    bool);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterNdMin").Device(DEVICE_CPU).HostMemory("ref"), "T",
    ScatterNdMinOp, float, double, half, bfloat16, int8_t, int16_t, int32_t,
    int64_t, uint8_t, uint16_t, uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceScatterNdMax").Device(DEVICE_CPU).HostMemory("ref"), "T",
    ScatterNdMaxOp, float, double, half, bfloat16, int8_t, int16_t, int32_t,
    int64_t, uint8_t, uint16_t, uint32_t, uint64_t);

}  // namespace
}  // namespace tensorwright
