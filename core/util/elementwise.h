// SPDX-License-Identifier: Apache-2.0
// Kernels tell here which ops work element by element, and how; graph passes
// ask.
//
// This file names no ops.  A kernel that computes each element of its output
// from one element of each input, without state, is registered with an
// ElementwiseRegistrar beside it; most do through a row of
// core/kernels/lib/cwise_table.h.  Passes may then put such nodes into one
// fused node.  Thread-safe; entries are never changed or removed.
#ifndef TENSORWRIGHT_CORE_UTIL_ELEMENTWISE_H_
#define TENSORWRIGHT_CORE_UTIL_ELEMENTWISE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tensorwright {

// The way in which an op that works element by element finds the elements that
// belong together.
enum class ElementwiseKind : uint8_t {
  kNone,    // The op does not work so.
  kUnary,   // One input, whose shape the output has.
  kBinary,  // Two inputs, broadcast.
  kAddN,    // Any number of inputs of one shape.
  kBias,    // [..., n] and [n].
  kSelect,  // A condition that may be a scalar or one value a row; two inputs.
  kCast,
  kPass,    // The input itself.
  kReduce,  // Not elementwise, but it may end a program: Sum, Mean, Max, Min.
};

// y[i] = op(x[i]), 0 <= i < n; y may be x.
using ElementwiseLoopFn = void (*)(const void* x, void* y, int64_t n);

struct ElementwiseOp {
  ElementwiseKind kind = ElementwiseKind::kNone;
  // The loop over floats, for an op that may follow a product and its bias in
  // one kernel; null for any other op.
  ElementwiseLoopFn activation = nullptr;
};

// Registers when it is constructed, which is when the program starts.  An op
// that is registered twice in two ways is a mistake of ours, and fatal.
class ElementwiseRegistrar {
 public:
  ElementwiseRegistrar(absl::string_view op, ElementwiseOp traits);
  ElementwiseRegistrar(absl::string_view op, ElementwiseKind kind)
      : ElementwiseRegistrar(op, ElementwiseOp{kind}) {}
};

// kNone, and no activation, for an op that nobody registered.
ElementwiseOp FindElementwiseOp(absl::string_view op);

inline ElementwiseKind ElementwiseKindOf(absl::string_view op) {
  return FindElementwiseOp(op).kind;
}
inline bool IsActivation(absl::string_view op) {
  return FindElementwiseOp(op).activation != nullptr;
}

// All registered ops, sorted.
std::vector<std::string> ElementwiseOps();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_ELEMENTWISE_H_
