// SPDX-License-Identifier: Apache-2.0
// Tells which of a kernel's several algorithms runs a node: for people who ask
// (`tw where`, `tw plan`, tf.explain), not for runs.
//
// A family of kernels decides in a file of its own, by functions of sizes and
// types that its kernels call.  It registers a KernelChooser that puts the same
// functions into words:
//
//   const KernelChooserRegistrar conv2d("Conv2D", {&Algorithms, &Choose});
//
// Registered when the program starts and never removed; thread safe.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_CHOICES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_CHOICES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class NodeDef;

// One way of doing a kernel's work.
struct KernelAlgorithm {
  std::string name;  // "Winograd".
  std::string file;  // Its path, relative to the root of the tree.
  // Whether it is a call of the library type that the kernel class names as its
  // Primitive (core/framework/op_kernel.h).
  bool calls_primitive = false;
};

// The algorithm that runs a node of certain shapes, and why.
struct KernelChoice {
  std::string algorithm;  // "Winograd 4x4".
  std::string why;        // "3x3 filter, ...".
};

struct KernelChooser {
  // The algorithms that may run on a CPU for elements of type `dtype`, in the
  // order in which they are considered.  Empty for a type that has no choice.
  std::vector<KernelAlgorithm> (*algorithms)(DataType dtype);
  // The algorithm that runs `node` on inputs of those shapes.  Fails if the
  // attrs and the shapes do not go together.
  StatusOr<KernelChoice> (*choose)(const NodeDef& node,
                                   absl::Span<const TensorShape> inputs,
                                   absl::Span<const TensorShape> outputs);
};

// The chooser of the CPU kernels of `op`; null if they have one algorithm.
const KernelChooser* FindKernelChooser(absl::string_view op);

// Registers a chooser when it is constructed.  The last one of an op wins.
class KernelChooserRegistrar {
 public:
  KernelChooserRegistrar(std::string op, KernelChooser chooser);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_CHOICES_H_
