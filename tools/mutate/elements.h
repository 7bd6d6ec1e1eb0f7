// SPDX-License-Identifier: Apache-2.0
// Single elements of tensors of any dtype: reads and changes them.
#ifndef TENSORWRIGHT_TOOLS_MUTATE_ELEMENTS_H_
#define TENSORWRIGHT_TOOLS_MUTATE_ELEMENTS_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/framework/types.h"

namespace tensorwright::mutate {

// True for numbers, bool and string; false for dtypes that only ops can read,
// such as resources.
bool IsPlain(DataType type);

// Changes element `i`: floats by at least 1 and by their own size, so that no
// tolerance hides it, quantized ones by 16 steps, other integers by 1.  The
// tensor is of a plain dtype and nobody else uses its buffer.
void SpoilElement(int64_t i, Tensor* t);

// Index of the first NaN at or after `from`; -1 if there is none.  A complex
// number counts as NaN if a part is.
int64_t FindNaN(const Tensor& t, int64_t from = 0);

// Are two elements the largest (the smallest) together?  False for dtypes
// without order, fewer than two elements and NaNs among them.
bool HasTiedMaximum(const Tensor& t);
bool HasTiedMinimum(const Tensor& t);

}  // namespace tensorwright::mutate

#endif  // TENSORWRIGHT_TOOLS_MUTATE_ELEMENTS_H_
