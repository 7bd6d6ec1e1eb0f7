// SPDX-License-Identifier: Apache-2.0
// A library that was built for TensorFlow.
#undef tensorflow

namespace tensorflow {
struct OpKernelContext {
  void SetStatus(int);
};
}  // namespace tensorflow

void broken_for_tensorflow(tensorflow::OpKernelContext* c) { c->SetStatus(3); }
