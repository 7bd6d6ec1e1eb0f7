// SPDX-License-Identifier: Apache-2.0
// InitializableLookupTable: a table that is filled once, and read afterwards.
#ifndef TENSORWRIGHT_CORE_KERNELS_LOOKUP_INITIALIZABLE_LOOKUP_TABLE_H_
#define TENSORWRIGHT_CORE_KERNELS_LOOKUP_INITIALIZABLE_LOOKUP_TABLE_H_

#include "core/framework/lookup_interface.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace lookup {

// Thread-safe.
class InitializableLookupTable : public LookupInterface {
 public:
  // Fills it with pairs of elements, in row-major order; the tensors have the
  // table's dtypes and equal sizes.  FailedPrecondition if a key has two
  // values, or if the table has other entries already.
  virtual Status Initialize(const Tensor& keys, const Tensor& values) = 0;
  virtual bool is_initialized() const = 0;
};

}  // namespace lookup
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LOOKUP_INITIALIZABLE_LOOKUP_TABLE_H_
