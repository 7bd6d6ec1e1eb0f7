// SPDX-License-Identifier: Apache-2.0
// Ops that end the process, each in its way, for crash_report_test.py: a
// library as a user would load.
#undef NDEBUG
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor_types.h"
#include "core/lib/core/threadpool.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// No compiler knows that it is null.
int* volatile nowhere = nullptr;
int volatile zero = 0;

int Deeper(int n) {
  volatile char room[4096];
  room[n % 4096] = static_cast<char>(n);
  return n < 0 ? room[0] : Deeper(n + 1) + room[n % 4096];
}

[[noreturn]] void Throw() { throw std::runtime_error("not with me"); }

void Crash(const std::string& how, OpKernelContext* ctx) {
  if (how == "segv") *nowhere = 1;
  if (how == "fpe") zero = 12345 / zero;
  if (how == "ill") __builtin_trap();
  if (how == "bus") raise(SIGBUS);
  if (how == "abort") std::abort();
  if (how == "assert") assert(ctx->num_inputs() == 7);
  if (how == "stack") zero = Deeper(0);
  if (how == "throw") Throw();
  if (how == "thread") std::thread([] { *nowhere = 1; }).join();
  if (how == "throwing thread") std::thread(Throw).join();
  if (how == "shard") {
    const auto& threads = *ctx->device()->tensorflow_cpu_worker_threads();
    const std::thread::id caller = std::this_thread::get_id();
    Shard(threads.num_threads, threads.workers, 1000, 1'000'000,
          [&](int64, int64) {
            // The caller leaves the crash to a thread of the pool.
            if (std::this_thread::get_id() != caller) *nowhere = 1;
            std::this_thread::sleep_for(std::chrono::seconds(10));
          });
  }
}

REGISTER_OP("Crashing")
    .Input("x: float")
    .Input("more: N * int32")
    .Output("y: float")
    .Attr("N: int >= 0 = 0")
    .Attr("how: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("x, unless `how` says how the process is to end.");

class CrashingOp : public OpKernel {
 public:
  explicit CrashingOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("how", &how_));
    if (how_ == "constructor") std::abort();
  }

  void Compute(OpKernelContext* ctx) override {
    Crash(how_, ctx);
    ctx->set_output(0, ctx->input(0));
  }

 private:
  std::string how_;
};
REGISTER_KERNEL_BUILDER(Name("Crashing").Device(DEVICE_CPU), CrashingOp);

}  // namespace
}  // namespace tensorwright
