// SPDX-License-Identifier: Apache-2.0
// Headers that sources include for one small thing each.
#include <condition_variable>

#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/kernel_shape_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/ops_util.h"
#include "tensorflow/core/framework/tensor_slice.h"
#include "tensorflow/core/lib/core/arena.h"
#include "tensorflow/core/lib/core/bitmap.h"
#include "tensorflow/core/lib/gtl/compactptrset.h"
#include "tensorflow/core/lib/gtl/int_type.h"
#include "tensorflow/core/lib/gtl/manual_constructor.h"
#include "tensorflow/core/lib/gtl/priority_queue_util.h"
#include "tensorflow/core/lib/monitoring/counter.h"
#include "tensorflow/core/lib/monitoring/gauge.h"
#include "tensorflow/core/lib/random/exact_uniform_int.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/denormal.h"
#include "tensorflow/core/platform/env_time.h"
#include "tensorflow/core/platform/platform.h"
#include "tensorflow/core/platform/setround.h"
#include "tensorflow/core/platform/tracing.h"
#include "tensorflow/core/profiler/lib/traceme.h"
#include "tensorflow/core/util/activation_mode.h"
#include "tensorflow/core/util/determinism.h"
#include "tensorflow/core/util/port.h"
#include "tensorflow/core/util/reffed_status_callback.h"
#include "tensorflow/core/util/util.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tensorflow/tsl/platform/status.h"

namespace tensorflow {

TF_LIB_GTL_DEFINE_INT_TYPE(CorpusRow, int64);

static auto* corpus_calls = monitoring::Counter<1>::New(
    "/corpus/many_headers", "Calls by mode.", "mode");

REGISTER_OP("CorpusManyHeaders")
    .Input("x: float")
    .Output("facts: int64")
    .Attr("activation_mode: string = 'Relu'");

class CorpusManyHeadersOp : public AsyncOpKernel {
 public:
  explicit CorpusManyHeadersOp(OpKernelConstruction* c) : AsyncOpKernel(c) {
    string mode;
    OP_REQUIRES_OK(c, c->GetAttr("activation_mode", &mode));
    OP_REQUIRES_OK(c, GetActivationModeFromString(mode, &mode_));
  }

  void ComputeAsync(OpKernelContext* c, DoneCallback done) override {
    profiler::TraceMe trace([this] { return string(name()); });
    port::Tracing::ScopedAnnotation annotation("facts");
    port::ScopedFlushDenormal flush;
    port::ScopedSetRound round(FE_TONEAREST);
    corpus_calls->GetCell("async")->IncrementBy(1);
    const uint64 started = Env::Default()->NowMicros();
    std::vector<int64> facts;
    facts.push_back(corpus_calls->GetCell("async")->value());
    core::Bitmap bits(70);
    for (int i = 0; i < 66; ++i) bits.set(i);
    facts.push_back(bits.FirstUnset(0));
    CorpusRow row(3);
    ++row;
    facts.push_back(row.value());
    std::priority_queue<int> queue;
    queue.push(2);
    queue.push(9);
    facts.push_back(gtl::ConsumeTop(&queue));
    MovingAverage average(2);
    for (double v : {100.0, 3.0, 5.0}) average.AddValue(v);
    facts.push_back(static_cast<int64>(average.GetAverage()));
    std::atomic<int64> sum(0);
    Sharder::Do(
        1000, 1000000,
        [&sum](int64 begin, int64 end) {
          for (int64 i = begin; i < end; ++i) sum += i;
        },
        [c](Sharder::Closure closure) {
          c->device()->tensorflow_cpu_worker_threads()->workers->Schedule(
              closure);
        },
        4);
    facts.push_back(sum);
    facts.push_back(mode_ == ActivationMode::RELU);
    facts.push_back(IsGoogleCudaEnabled() ? 1 : 0);
    gtl::ManualConstructor<string> text;
    text.Init("abc");
    core::Arena arena(16);
    facts.push_back(strlen(arena.Memdup(text->c_str(), text->size() + 1)));
    text.Destroy();
    CHECK_GE(EnvTime::NowMicros(), started);
    CHECK(port::TestCPUFeature(port::CPUFeature::SSE2));

    // The last of two parts answers.
    auto* parts = new ReffedStatusCallback([c, done, facts](const Status& s) {
      if (s.ok()) {
        Tensor* out;
        const int64 n = facts.size();
        OP_REQUIRES_OK_ASYNC(c, c->allocate_output(0, {n}, &out), done);
        std::copy(facts.begin(), facts.end(), out->vec<int64>().data());
      } else {
        c->SetStatus(s);
      }
      done();
    });
    parts->Ref();
    const bool is_negative = c->input(0).flat<float>()(0) < 0;
    c->env()->SchedClosure([parts, is_negative] {
      if (is_negative) {
        parts->UpdateStatus(errors::OutOfRange("x[0] must be >= 0"));
      }
      parts->Unref();
    });
    parts->Unref();
  }

 private:
  ActivationMode mode_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusManyHeaders").Device(DEVICE_CPU),
                        CorpusManyHeadersOp);

}  // namespace tensorflow
