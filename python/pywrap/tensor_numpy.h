// SPDX-License-Identifier: Apache-2.0
// Tensor <-> NumPy arrays and plain Python values.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_TENSOR_NUMPY_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_TENSOR_NUMPY_H_

#include "python/pywrap/py_ref.h"
// py_ref.h comes first.
#include "core/framework/tensor.h"

namespace tensorwright::pywrap {

// The value of a feed: `np.asarray(value, dtype)` as a tensor.  A C-contiguous,
// 64-byte aligned array of that dtype is shared, not copied, if it is worth it;
// the tensor then holds a reference to it and OwnsMemory() is false.  False
// with TypeError or ValueError set if it cannot be converted.
bool TensorFromFeed(PyObject* value, DataType dtype, Tensor* tensor);

// A copy of an array of exactly that dtype (or of strings for DT_STRING).
bool TensorFromArray(PyObject* array, DataType dtype, Tensor* tensor);

// For constants: a Python number, string, or nested list of them.
enum class Plain {
  kDone,
  kOther,  // Not of that simple form; no error is set: tensor_util must try.
};
// With `dtype` DT_INVALID it becomes int32 (int64 where needed), float32, bool
// or string.
Plain TensorFromPlain(PyObject* value, DataType dtype, Tensor* tensor);

// The result of a fetch: an array, or a NumPy scalar (bytes for a string) for a
// scalar tensor.  A buffer that nobody else refers to is passed on without a
// copy.  New reference; nullptr with a Python error set.
PyObject* TensorToNumpy(Tensor tensor, bool scalars_as_arrays = false);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_TENSOR_NUMPY_H_
