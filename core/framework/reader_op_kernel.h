// SPDX-License-Identifier: Apache-2.0
// ReaderOpKernel: the kernel of an op that makes a reader.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_READER_OP_KERNEL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_READER_OP_KERNEL_H_

#include <functional>
#include <utility>

#include "core/framework/reader_interface.h"
#include "core/framework/resource_op_kernel.h"

namespace tensorwright {

// The subclass's constructor calls SetReaderFactory.
class ReaderOpKernel : public ResourceOpKernel<ReaderInterface> {
 public:
  using ResourceOpKernel::ResourceOpKernel;

  bool IsExpensive() override { return false; }

 protected:
  void SetReaderFactory(std::function<ReaderInterface*()> factory) {
    factory_ = std::move(factory);
  }

 private:
  Status CreateResource(ReaderInterface** reader) override {
    *reader = factory_();
    return *reader == nullptr
               ? errors::Internal(name(), ": its factory made no reader")
               : Status();
  }

  std::function<ReaderInterface*()> factory_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_READER_OP_KERNEL_H_
