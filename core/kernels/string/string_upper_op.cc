// SPDX-License-Identifier: Apache-2.0
// StringUpper: converts each string to upper case.

#include "core/framework/op_kernel.h"
#include "core/kernels/string/unicode_case.h"

namespace tensorwright {
namespace {

REGISTER_KERNEL_BUILDER(Name("StringUpper").Device(DEVICE_CPU),
                        StringCaseOp<LetterCase::kUpper>);

}  // namespace
}  // namespace tensorwright
