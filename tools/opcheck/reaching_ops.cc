// SPDX-License-Identifier: Apache-2.0
// Ops that reach more outside the graph than their registrations say, and some
// that do not, for touches_test.py: a library as a user would load.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

void Open(const char* file, int flags) {
  const int fd = open(file, flags, 0600);
  if (fd >= 0) close(fd);
}

void Stat() {
  struct stat found;
  if (stat("/etc", &found) != 0) std::abort();
}

void Connect() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd >= 0) close(fd);
}

void Start() {
  if (std::system("true") != 0) std::abort();
}

void Fork() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, nullptr, 0);
}

// Calls Reach and copies x.
template <void (*Reach)()>
class ReachingOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Reach();
    ctx->set_output(0, ctx->input(0));
  }
};

#define REACHING_OP(Op, touches, reach)            \
  REGISTER_OP(#Op)                                 \
      .Input("x: float")                           \
      .Output("y: float")                          \
      .Touches(touches)                            \
      .SetShapeFn(shape_inference::UnchangedShape) \
      .Doc("Gives x, and reaches outside.");       \
  void Op##Reach() { reach; }                      \
  REGISTER_KERNEL_BUILDER(Name(#Op).Device(DEVICE_CPU), ReachingOp<Op##Reach>)

REACHING_OP(ReachFile, "nothing", Open("/etc/hostname", O_RDONLY));
REACHING_OP(ReachFileByThread, "nothing",
            std::thread(Open, "/etc/hostname", O_RDONLY).join());
REACHING_OP(ReachNameOfFile, "nothing", Stat());
REACHING_OP(ReachToWrite, "files read",
            Open("reached", O_CREAT | O_WRONLY | O_CLOEXEC));
REACHING_OP(ReachNetwork, "files", Connect());
REACHING_OP(ReachProgram, "files", Start());
REACHING_OP(ReachByFork, "files", Fork());
// These say what they do.
REACHING_OP(SaidFile, "files read", Open("/etc/hostname", O_RDONLY));
REACHING_OP(SaidToWrite, "files written", Open("said", O_CREAT | O_WRONLY));
REACHING_OP(SaidNetwork, "network", Connect());
REACHING_OP(SaidNothing, "nothing", {});

// Says nothing, and so may do everything.
REGISTER_OP("Unsaid")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Gives x, and reaches outside.");
void UnsaidReach() { Open("/etc/hostname", O_RDONLY); }
REGISTER_KERNEL_BUILDER(Name("Unsaid").Device(DEVICE_CPU),
                        ReachingOp<UnsaidReach>);

REGISTER_OP("ReachByShare")
    .Input("x: float")
    .Output("y: float")
    .Touches("nothing")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "Gives x; the threads of a session that share its work reach outside.");

class ReachByShareOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const auto& threads = *ctx->device()->tensorflow_cpu_worker_threads();
    const std::thread::id caller = std::this_thread::get_id();
    const int64 n = ctx->input(0).NumElements();
    constexpr int64 kCost = 10'000;
    Shard(threads.num_threads, threads.workers, n, kCost, [&](int64, int64) {
      // The caller leaves the rest to a thread of the pool.
      if (std::this_thread::get_id() == caller) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
      } else {
        Open("/etc/hostname", O_RDONLY);
      }
    });
    ctx->set_output(0, ctx->input(0));
  }
};
REGISTER_KERNEL_BUILDER(Name("ReachByShare").Device(DEVICE_CPU),
                        ReachByShareOp);

}  // namespace
}  // namespace tensorwright
