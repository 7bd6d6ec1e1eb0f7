// SPDX-License-Identifier: Apache-2.0
// ScalarKernel: a kernel that tells how it computes scalars.
//
// A loop over scalars spends its time on tensors: their buffers, shapes and
// contexts.  Whoever runs such a loop may instead keep the values in registers
// of eight bytes, and call the functions that the kernels name here, which are
// those that they call themselves: results have the same bits.
#ifndef TENSORWRIGHT_CORE_UTIL_SCALAR_KERNEL_H_
#define TENSORWRIGHT_CORE_UTIL_SCALAR_KERNEL_H_

#include <cstdint>
#include <vector>

namespace tensorwright {

// The step of a kernel that computes one value of at most eight bytes.
struct ScalarCall {
  // For `n` elements, of which there is one here; the steps are 1.  False: the
  // operands have no result, and the kernel fails on them.
  using Unary = void (*)(const void* x, void* y, int64_t n);
  using Binary = bool (*)(const void* x, const void* y, void* z, int64_t n,
                          int x_step, int y_step);

  // At most one of these three; none: the result is the operand.
  Unary unary = nullptr;
  Binary binary = nullptr;
  // The first operand, a bool, chooses the second or third.
  bool select = false;
  // Numbers of values: the kernel's inputs, then the results of its calls.
  int operands[3] = {0, 0, 0};
};

// A kernel without state that derives from OpKernel and this, too.
class ScalarKernel {
 public:
  virtual ~ScalarKernel() = default;

  // Appends the calls that the kernel makes if all of its inputs are scalars,
  // and the number of the value that is each output.  False if it cannot tell;
  // then what was appended means nothing.  Any thread.
  virtual bool ScalarCalls(std::vector<ScalarCall>* calls,
                           std::vector<int>* outputs) const = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SCALAR_KERNEL_H_
