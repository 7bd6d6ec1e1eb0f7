// SPDX-License-Identifier: Apache-2.0
// StringLower: converts each string to lower case.

#include "core/framework/op_kernel.h"
#include "core/kernels/string/unicode_case.h"

namespace tensorwright {
namespace {

REGISTER_KERNEL_BUILDER(Name("StringLower").Device(DEVICE_CPU),
                        StringCaseOp<LetterCase::kLower>);

}  // namespace
}  // namespace tensorwright
