// SPDX-License-Identifier: Apache-2.0
// Turns libjpeg's errors into a jump back, for reading and writing.
#ifndef TENSORWRIGHT_CORE_LIB_JPEG_JPEG_ERRORS_H_
#define TENSORWRIGHT_CORE_LIB_JPEG_JPEG_ERRORS_H_

// jpeglib.h needs it, and does not include it.
#include <cstddef>
#include <cstdio>
// Comes here, since jpeglib.h defines macros.
#include <jpeglib.h>

#include <csetjmp>

namespace tensorwright {
namespace jpeg {

// libjpeg is C: exceptions must not cross it.  A caller first does `if
// (setjmp(errors.jump) != 0)`, in a function whose locals have no destructors.
// `manager` comes first, so that libjpeg's pointer to it is also one to this.
struct Errors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX];

  Errors();
};

}  // namespace jpeg
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_JPEG_JPEG_ERRORS_H_
