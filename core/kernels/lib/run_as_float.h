// SPDX-License-Identifier: Apache-2.0
// Kernels of types that are only storage (half, bfloat16): they compute on
// float copies.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_RUN_AS_FLOAT_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_RUN_AS_FLOAT_H_

#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Runs work(a, b, c) on float copies of a and b and rounds c back; for types
// that are only storage.
template <typename T>
inline constexpr bool kIsStorageOnly =
    std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

template <typename T, typename Work>
Status RunAsFloat(OpKernelContext* ctx, const Tensor& a, const Tensor& b,
                  Tensor* c, const Work& work) {
  Tensor float_a, float_b, float_c;
  TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_FLOAT, a.shape(), &float_a));
  TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_FLOAT, b.shape(), &float_b));
  TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_FLOAT, c->shape(), &float_c));
  WidenFloats(a.base<T>(), float_a.base<float>(), a.NumElements());
  WidenFloats(b.base<T>(), float_b.base<float>(), b.NumElements());
  TF_RETURN_IF_ERROR(work(float_a.base<float>(), float_b.base<float>(),
                          float_c.base<float>()));
  NarrowFloats(float_c.base<float>(), c->base<T>(), c->NumElements());
  return OkStatus();
}

// Base of kernels that run on a primitive of oneDNN, unless T is double or an
// integer.
template <typename T, typename LibraryPrimitive>
struct RestsOnOneDnn {
  using Primitive = LibraryPrimitive;
};
struct RestsOnNothing {};
template <typename T, typename LibraryPrimitive>
using OneDnnUnlessWide =
    std::conditional_t<std::is_same_v<T, float> || kIsStorageOnly<T>,
                       RestsOnOneDnn<T, LibraryPrimitive>, RestsOnNothing>;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_RUN_AS_FLOAT_H_
