// SPDX-License-Identifier: Apache-2.0
// Engine, threads, errors and scratch memory of oneDNN.

#include "core/kernels/onednn_util.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace tensorwright {
namespace onednn {
namespace {

// Below this a second thread costs more than it saves: waking one takes some
// microseconds.
constexpr double kMinFlopsPerThread = 400e3;

// True while some kernel has a team of threads.
std::atomic<bool> team_taken{false};

}  // namespace

const dnnl::engine& CpuEngine() {
  static const dnnl::engine* engine =
      new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

dnnl::stream& CpuStream() {
  thread_local dnnl::stream stream(CpuEngine());
  return stream;
}

Status Try(const std::function<void()>& work) {
  try {
    work();
    return OkStatus();
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented || e.status == dnnl_invalid_arguments) {
      return errors::Unimplemented("oneDNN: ", e.what());
    }
    if (e.status == dnnl_out_of_memory) {
      return errors::ResourceExhausted("oneDNN: ", e.what());
    }
    return errors::Internal("oneDNN: ", e.what());
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted("oneDNN: out of memory");
  }
}

ThreadScope::ThreadScope(OpKernelContext* ctx, double flops)
    : count_(1), previous_(omp_get_max_threads()) {
  const auto* pool = ctx->device()->tensorflow_cpu_worker_threads();
  const int allowed = pool == nullptr ? 1 : pool->num_threads;
  const int wanted = static_cast<int>(
      std::min<double>(allowed, 1 + flops / kMinFlopsPerThread));
  if (wanted > 1 && !team_taken.exchange(true, std::memory_order_acquire)) {
    holds_team_ = true;
    count_ = allowed;
  }
  omp_set_num_threads(count_);
}

ThreadScope::~ThreadScope() {
  omp_set_num_threads(previous_);
  if (holds_team_) team_taken.store(false, std::memory_order_release);
}

dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

Status MakeScratchpad(OpKernelContext* ctx, const dnnl::memory::desc& desc,
                      Tensor* buffer, dnnl::memory* memory) {
  const int64_t bytes = static_cast<int64_t>(desc.get_size());
  if (bytes > 0) {
    TF_RETURN_IF_ERROR(
        ctx->allocate_temp(DT_UINT8, TensorShape({bytes}), buffer));
  }
  *memory = At(desc, bytes > 0 ? buffer->data() : nullptr);
  return OkStatus();
}

}  // namespace onednn
}  // namespace tensorwright
