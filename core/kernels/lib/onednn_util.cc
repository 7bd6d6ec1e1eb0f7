// SPDX-License-Identifier: Apache-2.0
// Engine, threads, errors and scratch memory of oneDNN.

#include "core/kernels/lib/onednn_util.h"

#include <new>

#include "core/kernels/lib/kernel_switch.h"
#include "core/kernels/lib/onednn_util_openmp.h"

namespace tensorwright {
namespace onednn {
namespace {

// For less work than this a team costs more than it saves.  Two threads that
// have to be woken, products of n x n on a 2-core machine: 4.2 Mflop take 37 us
// alone and 25 us together, 1.8 Mflop 18 us alone.
constexpr double kMinFlopsForTeam = 4e6;

// The pool behind the device's threads; null if there are none, or they belong
// to somebody else.
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

Status Run(OpKernelContext* ctx, double flops,
           absl::FunctionRef<Status(int threads)> work) {
  // A library that `tw shrink` linked without oneDNN has no version of it.
  static const bool is_there =
      dnnl_version() != nullptr && !KernelIsOff("onednn");
  if (!is_there) return errors::Unimplemented("oneDNN is turned off");
  UseOurOpenMp();
  const auto* device_threads = ctx->device()->tensorflow_cpu_worker_threads();
  const bool worth_a_team = flops >= kMinFlopsForTeam;
  thread::TeamPool* pool = worth_a_team ? Pool(device_threads) : nullptr;
  const OpenMpScope scope(pool, pool == nullptr ? 1 : pool->NumThreads());
  try {
    return work(scope.threads());
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
