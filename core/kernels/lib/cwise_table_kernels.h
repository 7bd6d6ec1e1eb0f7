// SPDX-License-Identifier: Apache-2.0
// Registers the rows of TW_CWISE_TABLE (in the sections that TW_ROWS names),
// which its includer defines: their CPU kernels, and their entries for passes.
// Each loop is compiled by the source that includes this for its row.  No
// include guard, on purpose.  cwise_ops.h is included before TW_ROWS is
// defined.

#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/cwise_row.h"
#include "core/util/elementwise.h"

#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_TABLE_KERNELS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_TABLE_KERNELS_H_
namespace tensorwright {
namespace cwise {

// Registers Kernel<T> on a CPU for each of the types, of which there may be
// none.
template <unsigned kFlags, template <typename> class Kernel, typename... T>
void RegisterKernels([[maybe_unused]] const char* op,
                     [[maybe_unused]] const char* class_name,
                     [[maybe_unused]] SourceLocation location) {
  if constexpr ((kFlags & kOfBools) != 0) {
    (kernel_factory::OpKernelRegistrar(
         register_kernel::Name(op).Device(DEVICE_CPU), class_name,
         kernel_factory::PrimitiveOf<Kernel<T>>::Get(),
         &kernel_factory::MakeKernel<Kernel<T>>, location),
     ...);
  } else if constexpr (sizeof...(T) != 0) {
    kernel_factory::TypedKernelRegistrar<Kernel, T...>(
        register_kernel::Name(op).Device(DEVICE_CPU), "T", class_name,
        location);
  }
}

template <unsigned kFlags, template <typename> class F>
void RegisterTraits(const char* op, ElementwiseKind kind) {
  if constexpr ((kFlags & kNeverFused) != 0) return;
  ElementwiseOp traits{kind};
  if constexpr ((kFlags & kActivation) != 0) {
    traits.activation = &UnaryLoop<F, float>;
  }
  ElementwiseRegistrar(op, traits);
}

}  // namespace cwise
}  // namespace tensorwright

// A row may have no types; then there is no comma before them.
#define TW_CWISE_TYPES(...) __VA_OPT__(, ) __VA_ARGS__
#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_TABLE_KERNELS_H_

namespace tensorwright {
namespace {

// Registers when the program starts.
[[maybe_unused]] const bool kRowsAreRegistered = [] {
#define TW_ROW(arity, op, f, cost, types, gpu, flags)                       \
  cwise::RegisterKernels<(flags),                                           \
                         arity<functor::f, cost>::Op TW_CWISE_TYPES types>( \
      #op, #arity "<functor::" #f ", " #cost ">::Op",                       \
      SourceLocation{__FILE__, __LINE__});                                  \
  cwise::RegisterTraits<(flags), functor::f>(#op, ElementwiseKind::k##arity);
#include TW_CWISE_TABLE
  return true;
}();

}  // namespace
}  // namespace tensorwright

#undef TW_CWISE_TABLE
#undef TW_ROWS
