// SPDX-License-Identifier: Apache-2.0
// The stage of a library that is being loaded, and names that are taken once.
#include "core/framework/staged_registrations.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

thread_local StagedRegistrations* current_stage = nullptr;

// Knows which names are taken, and by whom.
struct Entries {
  absl::Mutex mu;
  absl::flat_hash_map<std::string, SourceLocation> taken ABSL_GUARDED_BY(mu);
};

Entries* AllEntries() {
  static Entries* const all = new Entries;
  return all;
}

std::string At(SourceLocation location) {
  return absl::StrCat(location.file, ":", location.line);
}

}  // namespace

StagedRegistrations::StagedRegistrations() { current_stage = this; }
StagedRegistrations::~StagedRegistrations() { current_stage = nullptr; }
StagedRegistrations* StagedRegistrations::Current() { return current_stage; }

void RegisterEntry(std::string what, SourceLocation location,
                   std::function<void()> add) {
  PendingEntry entry{std::move(what), location, std::move(add)};
  if (StagedRegistrations* const stage = StagedRegistrations::Current()) {
    stage->entries.push_back(std::move(entry));
  } else {
    CommitEntry(std::move(entry));
  }
}

Status CheckPendingEntries(const std::vector<PendingEntry>& entries) {
  absl::flat_hash_map<std::string, SourceLocation> seen;
  absl::MutexLock lock(&AllEntries()->mu);
  for (const PendingEntry& entry : entries) {
    const auto [twin, is_new] = seen.emplace(entry.what, entry.location);
    if (!is_new) {
      return errors::AlreadyExists(entry.what, " is registered twice, at ",
                                   At(twin->second), " and at ",
                                   At(entry.location));
    }
    const auto other = AllEntries()->taken.find(entry.what);
    if (other != AllEntries()->taken.end()) {
      return errors::AlreadyExists(
          entry.what, ", which is registered at ", At(entry.location),
          ", is there already, registered at ", At(other->second));
    }
  }
  return OkStatus();
}

void DropTakenEntries(std::vector<PendingEntry>* entries) {
  absl::MutexLock lock(&AllEntries()->mu);
  std::erase_if(*entries,
                [](const PendingEntry& entry) ABSL_NO_THREAD_SAFETY_ANALYSIS {
                  return AllEntries()->taken.contains(entry.what);
                });
}

void CommitEntry(PendingEntry entry) {
  {
    absl::MutexLock lock(&AllEntries()->mu);
    const auto [twin, is_new] =
        AllEntries()->taken.emplace(entry.what, entry.location);
    if (!is_new) {
      LOG(ERROR) << entry.what << " is registered twice, at "
                 << At(twin->second) << " and at " << At(entry.location)
                 << "; the first counts";
      return;
    }
  }
  entry.add();
}

}  // namespace tensorwright
