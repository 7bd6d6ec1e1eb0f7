// SPDX-License-Identifier: Apache-2.0
// CancellationManager: callbacks run outside the lock, exactly once.
#include "core/framework/cancellation.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tensorwright {

const CancellationToken CancellationManager::kInvalidToken = -1;

struct CancellationManager::Callbacks {
  absl::flat_hash_map<CancellationToken, CancelCallback> by_token;
};

CancellationManager::CancellationManager()
    : callbacks_(std::make_unique<Callbacks>()) {}

CancellationManager::~CancellationManager() { StartCancel(); }

void CancellationManager::StartCancel() {
  absl::flat_hash_map<CancellationToken, CancelCallback> callbacks;
  {
    absl::MutexLock lock(&mu_);
    if (cancelling_) return;
    cancelling_ = true;
    is_cancelled_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_->by_token);
  }
  for (auto& [token, callback] : callbacks) callback();
  cancelled_.Notify();
}

bool CancellationManager::RegisterCallback(CancellationToken token,
                                           CancelCallback callback) {
  absl::MutexLock lock(&mu_);
  if (cancelling_) return false;
  callbacks_->by_token.insert_or_assign(token, std::move(callback));
  return true;
}

bool CancellationManager::DeregisterCallback(CancellationToken token) {
  if (TryDeregisterCallback(token)) return true;
  bool cancelling;
  {
    absl::MutexLock lock(&mu_);
    cancelling = cancelling_;
  }
  if (cancelling) cancelled_.WaitForNotification();
  return false;
}

bool CancellationManager::TryDeregisterCallback(CancellationToken token) {
  absl::MutexLock lock(&mu_);
  if (cancelling_) return false;
  callbacks_->by_token.erase(token);
  return true;
}

}  // namespace tensorwright
