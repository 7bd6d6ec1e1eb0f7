// SPDX-License-Identifier: Apache-2.0
// Engine, threads, errors and scratch memory of oneDNN.

#include "core/kernels/lib/onednn_util.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "core/kernels/lib/onednn_util_openmp.h"

namespace tensorwright {
namespace onednn {
namespace {

// Below this a team costs more than it saves.  Two threads that have to be
// woken, products of n x n on a 2-core machine: 4.2 Mflop take 37 us alone and
// 25 us together, 1.8 Mflop 18 us alone; and where other programs want the
// cores, each team waits for the slowest of its threads to get one.
constexpr double kMinFlopsForTeam = 4e6;

// How fast one thread is, roughly, where others want the core too.
constexpr double kFlopsPerSecondAlone = 5e10;
constexpr std::chrono::duration<double> kMaxPatience(1.0);
// Who has less to do would be done alone before it is woken.
constexpr double kMinFlopsToWait = 1e8;

// The pool behind the device's threads; null if they are none, or somebody
// else's.
thread::TeamPool* Pool(const DeviceBase::CpuWorkerThreads* threads) {
  if (threads == nullptr || threads->num_threads <= 1) return nullptr;
  return dynamic_cast<thread::TeamPool*>(threads->workers->AsEigenThreadPool());
}

}  // namespace

const dnnl::engine& CpuEngine() {
  UseOurOpenMp();
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

ThreadScope::ThreadScope(OpKernelContext* ctx, double flops) {
  UseOurOpenMp();
  const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
  const bool worth_a_team = flops >= kMinFlopsForTeam;
  thread::TeamPool* pool = worth_a_team ? Pool(threads) : nullptr;
  // So long as the work would take alone: waiting costs at most that once more.
  const std::chrono::duration<double> patience(
      flops < kMinFlopsToWait ? 0 : flops / kFlopsPerSecondAlone);
  auto* scope = new OpenMpScope(
      pool, pool == nullptr ? 1 : pool->NumThreads(),
      std::chrono::duration_cast<thread::ThreadTeam::Clock::duration>(
          std::min(patience, kMaxPatience)));
  count_ = scope->threads();
}

// Scopes of a thread end in the reverse order.
ThreadScope::~ThreadScope() { delete OpenMpScope::Current(); }

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
