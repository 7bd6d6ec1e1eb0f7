// SPDX-License-Identifier: Apache-2.0
// Compares what a library registers with what is there.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/op.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/framework/staged_registrations.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

bool IsOurExample(const OpRegistrationData& op) {
  return op.location.file != nullptr &&
         absl::StartsWith(op.location.file, "user_ops/");
}

std::string At(SourceLocation location) {
  return absl::StrCat(location.file == nullptr ? "?" : location.file, ":",
                      location.line);
}

// Op `name` of the library, and the one of that name that is there.
Status OtherDefinition(const OpRegistrationData& mine,
                       const OpRegistrationData& other) {
  return errors::AlreadyExists(
      "Op ", mine.op_def.name(), ", which is registered at ", At(mine.location),
      " as ", SummarizeOpDef(mine.op_def), ", is there already, registered at ",
      At(other.location), " as ", SummarizeOpDef(other.op_def),
      "; give it another name");
}

// Is there a kernel of the op that no library brought?
bool HasBuiltInKernel(const std::string& op) {
  return absl::c_any_of(
      RegisteredKernelsForOp(op),
      [](const KernelRegistration* kernel) { return kernel->library == 0; });
}

// An op of a library that is loaded again must be what it was: nodes of graphs
// rest on that.
Status CheckUnchanged(const OpRegistrationData& now,
                      const OpRegistrationData& before) {
  const std::string changed = OpDefChanges(before.op_def, now.op_def);
  if (changed.empty()) return OkStatus();
  return errors::FailedPrecondition(
      "the definition of op ", now.op_def.name(), ", registered at ",
      At(now.location), ", has changed, so nothing of it is loaded:\n", changed,
      "load it in a new process, or give the op another name");
}

// Notes how op `made` stands to the one of its name, if there is one.
Status CheckOp(const OpRegistrationData& made, const LoadedLibrary* earlier,
               Meeting* meeting) {
  const std::string& name = made.op_def.name();
  const OpRegistrationData* other = OpRegistry::Global()->LookUp(name);
  if (other == nullptr) return OkStatus();
  if (earlier != nullptr && absl::c_linear_search(earlier->added, name)) {
    meeting->replaced.insert(name);
    return CheckUnchanged(made, *other);
  }
  if (IsOurExample(*other)) {
    meeting->replaced.insert(name);
    return OkStatus();
  }
  if (!SameOpDef(made.op_def, other->op_def)) {
    return OtherDefinition(made, *other);
  }
  meeting->known.insert(name);
  return OkStatus();
}

}  // namespace

Status CheckRegistrations(const LoadedLibrary& library,
                          const LoadedLibrary* earlier,
                          StagedRegistrations* staged, Meeting* meeting) {
  absl::flat_hash_map<std::string, std::unique_ptr<OpRegistrationData>> ops;
  for (OpDefBuilder& builder : staged->ops) {
    builder.SetLibrary(library.file, library.id);
    auto made = std::make_unique<OpRegistrationData>();
    // A copy is finalized: the builder itself is registered later.
    TF_RETURN_IF_ERROR(OpDefBuilder(builder).Finalize(made.get()));
    const std::string name = made->op_def.name();
    const SourceLocation location = made->location;
    const auto [twin, is_new] = ops.emplace(name, std::move(made));
    if (!is_new) {
      return errors::AlreadyExists("Op ", name, " is registered twice, at ",
                                   At(twin->second->location), " and at ",
                                   At(location), "; give one another name");
    }
    TF_RETURN_IF_ERROR(CheckOp(*twin->second, earlier, meeting));
  }
  const int id_before = earlier == nullptr ? 0 : earlier->id;
  if (earlier != nullptr) {
    for (const std::string& name : earlier->added) {
      if (ops.contains(name)) continue;
      return errors::FailedPrecondition(
          "op ", name,
          " was in it and is not any more, so nothing of it is "
          "loaded; load it in a new process");
    }
    DropTakenEntries(&staged->entries);
  }
  for (size_t i = 0; i < staged->kernels.size(); ++i) {
    PendingKernel& kernel = staged->kernels[i];
    const std::string& op = kernel.builder.op();
    kernel.library = library.id;
    kernel.overrides = library.overrides && HasBuiltInKernel(op);
    const auto own = ops.find(op);
    const bool is_own = own != ops.end();
    TF_RETURN_IF_ERROR(CheckPendingKernel(
        kernel, is_own ? own->second.get() : OpRegistry::Global()->LookUp(op)));
    for (size_t j = 0; j < i; ++j) {
      if (staged->kernels[j].builder.op() == op) {
        TF_RETURN_IF_ERROR(CheckPendingKernels(staged->kernels[j], kernel));
      }
    }
    const bool is_known = meeting->known.contains(op);
    if (is_own && !is_known) continue;
    const Status met = CheckAgainstRegistered(kernel, id_before);
    if (is_known && !library.overrides && errors::IsAlreadyExists(met)) {
      meeting->needless_kernels.insert(i);
    } else {
      TF_RETURN_IF_ERROR(met);
    }
  }
  return CheckPendingEntries(staged->entries);
}

void CommitRegistrations(StagedRegistrations* staged, const Meeting& meeting,
                         const LoadedLibrary* earlier) {
  for (const std::string& name : meeting.replaced) {
    const bool is_mine =
        earlier != nullptr && absl::c_linear_search(earlier->added, name);
    if (!is_mine) HideKernels(name);
  }
  for (OpDefBuilder& op : staged->ops) {
    if (meeting.known.contains(op.name())) continue;
    OpRegistry::Global()->Replace(std::move(op));
  }
  std::vector<PendingKernel> kernels;
  for (size_t i = 0; i < staged->kernels.size(); ++i) {
    if (meeting.needless_kernels.contains(i)) continue;
    kernels.push_back(std::move(staged->kernels[i]));
  }
  CommitKernels(std::move(kernels), earlier == nullptr ? 0 : earlier->id);
  for (PendingEntry& entry : staged->entries) CommitEntry(std::move(entry));
}

}  // namespace tensorwright
