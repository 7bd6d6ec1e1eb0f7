// SPDX-License-Identifier: Apache-2.0
// libjpeg's errors as a jump back, shared by reading and writing.
#ifndef TENSORWRIGHT_CORE_LIB_JPEG_JPEG_ERRORS_H_
#define TENSORWRIGHT_CORE_LIB_JPEG_JPEG_ERRORS_H_

// jpeglib.h needs it, and does not include it.
#include <cstddef>
#include <cstdio>
// Here, as jpeglib.h defines macros.
#include <jpeglib.h>

#include <csetjmp>

namespace tensorwright {
namespace jpeg {

// libjpeg is C: exceptions must not cross it.  Whoever calls it says
// `if (setjmp(errors.jump) != 0)` first, in a function whose locals have no
// destructors.  `manager` comes first: libjpeg's pointer to it is one to this.
struct Errors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX];

  Errors();
};

}  // namespace jpeg
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_JPEG_JPEG_ERRORS_H_
