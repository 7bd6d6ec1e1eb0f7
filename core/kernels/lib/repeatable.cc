// SPDX-License-Identifier: Apache-2.0
// Kernels that must repeat.

#include "core/kernels/lib/repeatable.h"

#include <algorithm>
#include <cstdint>

#include "core/lib/core/errors.h"
#include "core/lib/core/repeatable_pool.h"
#include "core/lib/core/threadpool.h"

namespace tensorwright {
namespace {

const thread::RepeatablePool* Pool(const OpKernelContext* ctx) {
  const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
  if (threads == nullptr || threads->workers == nullptr) return nullptr;
  return dynamic_cast<const thread::RepeatablePool*>(
      threads->workers->AsEigenThreadPool());
}

}  // namespace

bool MustRepeat(const OpKernelContext* ctx) { return Pool(ctx) != nullptr; }

Status RefuseIfMustRepeat(const OpKernelContext* ctx, absl::string_view why) {
  const thread::RepeatablePool* pool = Pool(ctx);
  if (pool == nullptr) return OkStatus();
  const OpKernel& kernel = ctx->op_kernel();
  return errors::PermissionDenied(
      "Node '", kernel.name(), "' (", kernel.type_string(),
      ") is not allowed: ", why, ", and ", pool->why());
}

int64_t PiecesOf(double flops, int64_t most) {
  return static_cast<int64_t>(
      std::clamp(flops / kMinFlopsForPieces, 1.0, static_cast<double>(most)));
}

}  // namespace tensorwright
