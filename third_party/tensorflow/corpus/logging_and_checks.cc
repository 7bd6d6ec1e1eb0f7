// SPDX-License-Identifier: Apache-2.0
// LOG, VLOG, CHECK and their kin, in all their forms.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/default/logging.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/public/version.h"

#if TF_MAJOR_VERSION > 1 || (TF_MAJOR_VERSION == 1 && TF_MINOR_VERSION >= 3)
#define CORPUS_NEW_ENOUGH 1
#endif
#ifndef CORPUS_NEW_ENOUGH
#error "an old version"
#endif

using namespace tensorflow;

REGISTER_OP("CorpusLog").Input("x: int32").Output("y: int32").SetIsStateful();

class LogOp : public OpKernel {
 public:
  explicit LogOp(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* c) override {
    const int x = c->input(0).scalar<int32>()();
    if (x < 0)
      LOG(INFO) << "negative " << x;
    else
      LOG(INFO) << "not negative " << x;
    LOG_IF(INFO, x > 3) << "large";
    DLOG(INFO) << "debug";
    VLOG(1) << "verbose " << name() << " of " << type_string();
    DVLOG(2) << "debug, verbose";
    if (VLOG_IS_ON(3)) LOG(INFO) << "very verbose";
    for (int i = 0; i < 5; ++i) {
      LOG_EVERY_N(INFO, 2) << "every other";
      LOG_FIRST_N(INFO, 1) << "first";
      LOG_EVERY_POW_2(INFO) << "powers";
      LOG_EVERY_N_SEC(INFO, 60) << "a minute";
    }
    CHECK(x == x) << "a number";
    CHECK_EQ(x, x) << x;
    CHECK_NE(x, x + 1);
    CHECK_GE(x + 1, x);
    CHECK_GT(x + 1, x);
    CHECK_LE(x, x + 1);
    CHECK_LT(x, x + 1);
    DCHECK(x == x) << "a number";
    DCHECK_EQ(x, x);
    DCHECK_GE(x + 1, x) << "sum";
    QCHECK(x == x);
    TF_CHECK_OK(Status::OK());
    TF_QCHECK_OK(Status::OK()) << "all is well";
    TF_DCHECK_OK(Status::OK());
    const int* p = CHECK_NOTNULL(&x);
    if (*p > 1 << 30) LOG(FATAL) << "never";
    if (*p > 1 << 30) LOG(ERROR) << tensorflow::strings::StrCat("never");
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, TensorShape({}), &y));
    y->scalar<int32>()() = x + TF_MAJOR_VERSION * 0;
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusLog").Device(DEVICE_CPU), LogOp);
