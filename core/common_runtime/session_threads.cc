// SPDX-License-Identifier: Apache-2.0
// SessionThreads.
#define EIGEN_USE_THREADS
#include "core/common_runtime/session_threads.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/repeatable_pool.h"
#include "core/lib/core/thread_team.h"
#include "core/platform/cpu_info.h"
#include "core/platform/env.h"
#include "core/protobuf/config.pb.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorwright {
namespace {

constexpr int kMaxThreads = 4096;

// A pool without threads.
class InlinePool final : public Eigen::ThreadPoolInterface {
 public:
  void Schedule(std::function<void()> fn) override { fn(); }
  int NumThreads() const override { return 1; }
  int CurrentThreadId() const override { return -1; }
};

int ThreadsOrDefault(int n) { return n > 0 ? n : port::MaxParallelism(); }

Status CheckCount(const char* name, int n) {
  // TensorFlow takes a negative inter-op count to mean "in the caller's
  // thread".
  if (n <= kMaxThreads) return OkStatus();
  return errors::InvalidArgument("ConfigProto: ", name,
                                 " must be <= ", kMaxThreads, ", got ", n);
}

// Gives a pool whose size the config leaves open at most as many threads as the
// policy says.
Status LimitCount(const char* name, int64_t most, const ConfigProto& config,
                  int* n) {
  if (*n > most) {
    return errors::ResourceExhausted(
        "ConfigProto: ", name, " is ", *n, ", and the policy '",
        config.policy().name(), "' says 'max_threads: ", most, "'");
  }
  if (*n == 0) {
    *n = static_cast<int>(std::min<int64_t>(most, port::MaxParallelism()));
  }
  return OkStatus();
}

}  // namespace

SessionThreads::SessionThreads(int intra_op_threads, int inter_op_threads,
                               const std::string& repeats_why)
    : inter_op_threads_(
          inter_op_threads < 0 ? 1 : ThreadsOrDefault(inter_op_threads)),
      inline_pool_(std::make_unique<InlinePool>()) {
  const int intra = std::max(1, ThreadsOrDefault(intra_op_threads));
  // oneDNN's kernels take a team of threads from it.
  if (intra > 1) {
    intra_op_threads_ =
        std::make_unique<thread::TeamPool>(Env::Default(), "tw_intra", intra);
  }
  Eigen::ThreadPoolInterface* pool =
      intra > 1 ? intra_op_threads_.get() : inline_pool_.get();
  if (!repeats_why.empty()) {
    repeatable_ = std::make_unique<thread::RepeatablePool>(pool, repeats_why);
    pool = repeatable_.get();
  }
  intra_op_ = std::make_unique<thread::ThreadPool>(pool);
  inter_op_ = inter_op_threads_ > 1
                  ? std::make_unique<thread::ThreadPool>(
                        Env::Default(), "tw_inter", inter_op_threads_)
                  : std::make_unique<thread::ThreadPool>(inline_pool_.get());
  workers_.num_threads = intra;
  workers_.workers = intra_op_.get();
  eigen_device_ = std::make_unique<Eigen::ThreadPoolDevice>(
      intra_op_->AsEigenThreadPool(), workers_.num_threads);
}

SessionThreads::~SessionThreads() = default;

Status SessionThreads::ForConfig(const ConfigProto& config,
                                 std::shared_ptr<SessionThreads>* threads) {
  int intra = config.intra_op_parallelism_threads();
  int inter = config.inter_op_parallelism_threads();
  TF_RETURN_IF_ERROR(CheckCount("intra_op_parallelism_threads", intra));
  TF_RETURN_IF_ERROR(CheckCount("inter_op_parallelism_threads", inter));
  if (inter == 0 && config.session_inter_op_thread_pool_size() > 0) {
    inter = config.session_inter_op_thread_pool(0).num_threads();
    TF_RETURN_IF_ERROR(CheckCount("session_inter_op_thread_pool", inter));
  }
  const int64_t most = config.policy().max_threads();
  if (most > 0) {
    TF_RETURN_IF_ERROR(
        LimitCount("intra_op_parallelism_threads", most, config, &intra));
    TF_RETURN_IF_ERROR(
        LimitCount("inter_op_parallelism_threads", most, config, &inter));
  }
  const auto make = [threads](int intra_op, int inter_op,
                              const std::string& repeats_why = "") {
    return CatchExceptions(
        [&] {
          *threads =
              std::make_shared<SessionThreads>(intra_op, inter_op, repeats_why);
        },
        [] { return "The session"; });
  };
  if (config.policy().deterministic()) {
    // Nodes run one at a time, in an order that no thread decides.
    return make(intra, 1,
                absl::StrCat("the policy '", config.policy().name(),
                             "' says 'deterministic: true'"));
  }
  if (intra != 0 || inter != 0 || config.use_per_session_threads()) {
    return make(intra, inter);
  }
  // Never destroyed, so that sessions may end in any order, even at exit.  A
  // forked child has none of its parent's threads and gets its own.
  static absl::Mutex mu(absl::kConstInit);
  static std::shared_ptr<SessionThreads>* shared = nullptr;
  static pid_t owner = 0;
  absl::MutexLock lock(&mu);
  if (shared == nullptr || owner != getpid()) {
    TF_RETURN_IF_ERROR(make(0, 0));
    shared = new std::shared_ptr<SessionThreads>(*threads);
    owner = getpid();
  }
  *threads = *shared;
  return OkStatus();
}

}  // namespace tensorwright
