// SPDX-License-Identifier: Apache-2.0
// CallFrameInterface: where _Arg and _Retval read a call's arguments and leave
// its results.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_FUNCTION_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_FUNCTION_H_

#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Owned by the caller of a run, alive until the run ends.  Different indices
// may be used by different threads at the same time.
class CallFrameInterface {
 public:
  virtual ~CallFrameInterface() = default;

  virtual size_t num_args() const = 0;
  virtual size_t num_retvals() const = 0;

  // InvalidArgument if there is no such argument.
  virtual Status GetArg(int index, Tensor* val) const = 0;
  // InvalidArgument if there is no such result or it has been set.
  virtual Status SetRetval(int index, const Tensor& val) = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_FUNCTION_H_
