// SPDX-License-Identifier: Apache-2.0
// Has any variable been written since?  Kernels ask that keep something they
// made of a variable's value, such as a filter in another order.
//
// There is one count for the process: a write to any variable makes everything
// that is kept stale.  A training program loses nothing by that, because there
// every step writes variables, and kernels that write need not do anything.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_VARIABLE_WRITES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_VARIABLE_WRITES_H_

#include <cstdint>

namespace tensorwright {

// Executors hold one while a kernel runs that may write a variable.
class VariableWriteScope {
 public:
  explicit VariableWriteScope(bool may_write);
  ~VariableWriteScope();
  VariableWriteScope(const VariableWriteScope&) = delete;
  VariableWriteScope& operator=(const VariableWriteScope&) = delete;

 private:
  const bool may_write_;
};

// 0 while a kernel runs that may write a variable, else a number that is equal
// for two calls only if none ran between them.  Any thread.
uint64_t VariableWriteEpoch();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_VARIABLE_WRITES_H_
