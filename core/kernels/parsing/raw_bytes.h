// SPDX-License-Identifier: Apache-2.0
// Converts bytes to numbers.
#ifndef TENSORWRIGHT_CORE_KERNELS_PARSING_RAW_BYTES_H_
#define TENSORWRIGHT_CORE_KERNELS_PARSING_RAW_BYTES_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/framework/types.h"

namespace tensorwright {

// Returns how many bytes in a row have an order: those of a number, or of each
// part of a complex one.
inline size_t BytesInOrder(DataType dtype) {
  const size_t n = static_cast<size_t>(DataTypeSize(dtype));
  return DataTypeIsComplex(dtype) ? n / 2 : n;
}

// Reverses the bytes of each number among the `bytes` at `data` if they are not
// in this machine's order; numbers of type bool become 0 or 1.
inline void ToThisMachine(DataType dtype, bool little_endian, char* data,
                          size_t bytes) {
  const size_t n = BytesInOrder(dtype);
  if (dtype == DT_BOOL) {
    for (size_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
  }
  if (n == 1 || little_endian == (std::endian::native == std::endian::little)) {
    return;
  }
  for (size_t i = 0; i + n <= bytes; i += n) {
    std::reverse(data + i, data + i + n);
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_PARSING_RAW_BYTES_H_
