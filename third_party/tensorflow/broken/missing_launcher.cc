// SPDX-License-Identifier: Apache-2.0
// A launcher of device code that was left out when the library was linked.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

void LaunchOnGpu(float* data, int n);

REGISTER_OP("BrokenLauncher").Input("x: float");

void (*broken_launcher)(float*, int) = &LaunchOnGpu;

}  // namespace tensorflow
