// SPDX-License-Identifier: Apache-2.0
// Keeps RE2 among the libraries that ours brings along, in which custom ops
// find its functions when they are loaded.
#include "core/compat/lib/strings/regexp.h"

#include <string>

namespace tensorwright {
namespace regexp_internal {

// Nobody reads it.  All of RE2's code is in one library, which this pulls in.
extern const std::string needs_re2;
const std::string needs_re2 = RE2::QuoteMeta("");

}  // namespace regexp_internal
}  // namespace tensorwright
