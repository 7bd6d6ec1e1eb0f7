// SPDX-License-Identifier: Apache-2.0
// LookupInterface: what a table in the ResourceMgr offers to the ops that use
// it.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_LOOKUP_INTERFACE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_LOOKUP_INTERFACE_H_

#include <cstddef>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace lookup {

// Thread-safe.  A key has shape key_shape(), a value value_shape(); batches of
// them have further dimensions in front.
class LookupInterface : public ResourceBase {
 public:
  // Takes no `ctx`, since tables are also filled and read from outside of
  // kernels.
  virtual size_t size() const = 0;
  // A key that is not in the table gets the default value: one for all, or one
  // for each key.
  virtual Status Find(OpKernelContext* ctx, const Tensor& keys, Tensor* values,
                      const Tensor& default_value) = 0;
  virtual Status Insert(OpKernelContext* ctx, const Tensor& keys,
                        const Tensor& values) = 0;
  virtual Status Remove(OpKernelContext* /*ctx*/, const Tensor& /*keys*/) {
    return errors::Unimplemented("This table does not remove keys");
  }
  // Sets outputs "keys" and "values" of an export op.
  virtual Status ExportValues(OpKernelContext* ctx) = 0;
  // Replaces all entries.
  virtual Status ImportValues(OpKernelContext* ctx, const Tensor& keys,
                              const Tensor& values) = 0;

  virtual DataType key_dtype() const = 0;
  virtual DataType value_dtype() const = 0;
  virtual TensorShape key_shape() const = 0;
  virtual TensorShape value_shape() const = 0;

  // InvalidArgument if dtypes or shapes are not the table's.
  Status CheckKeyAndValueTensorsForInsert(const Tensor& keys,
                                          const Tensor& values);
  Status CheckKeyAndValueTensorsForImport(const Tensor& keys,
                                          const Tensor& values);
  Status CheckKeyTensorForRemove(const Tensor& keys);
  Status CheckFindArguments(const Tensor& keys, const Tensor& default_value);

 protected:
  virtual Status CheckKeyShape(const TensorShape& shape);

 private:
  Status CheckKeyAndValueTypes(const Tensor& keys, const Tensor& values);
};

}  // namespace lookup
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_LOOKUP_INTERFACE_H_
