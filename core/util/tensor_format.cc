// SPDX-License-Identifier: Apache-2.0
// Names of data formats.

#include "core/util/tensor_format.h"

namespace tensorwright {

bool FormatFromString(absl::string_view text, TensorFormat* format) {
  if (text == "NHWC" || text == "NDHWC" || text == "NWC") {
    *format = FORMAT_NHWC;
  } else if (text == "NCHW" || text == "NCDHW" || text == "NCW") {
    *format = FORMAT_NCHW;
  } else if (text == "NCHW_VECT_C") {
    *format = FORMAT_NCHW_VECT_C;
  } else {
    return false;
  }
  return true;
}

std::string ToString(TensorFormat format) {
  switch (format) {
    case FORMAT_NHWC:
      return "NHWC";
    case FORMAT_NCHW:
      return "NCHW";
    default:
      return "NCHW_VECT_C";
  }
}

}  // namespace tensorwright
