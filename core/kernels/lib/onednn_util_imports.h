// SPDX-License-Identifier: Apache-2.0
// RedirectImports: makes one loaded shared library call other functions than
// those it was linked to.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_IMPORTS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_IMPORTS_H_

#include "absl/types/span.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace onednn {

// A function that the library calls by `name`: the function to call instead,
// and the place to store the one it has called so far.
struct ImportRedirection {
  const char* name;
  void* target;
  void** original;
};

// Redirects the library that contains `address`: its entries for these
// functions in the table through which it calls others.  Symbols of other
// libraries, and what they call, stay as they are.  Redirects all or none;
// NotFound if the library does not call one of the names.
Status RedirectImports(const void* address,
                       absl::Span<const ImportRedirection> redirections);

}  // namespace onednn
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_IMPORTS_H_
