// SPDX-License-Identifier: Apache-2.0
// The op registry: builders are kept as they are until their op is looked up.
#include "core/framework/op.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/framework/staged_registrations.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

OpRegistryInterface::~OpRegistryInterface() = default;

Status OpRegistryInterface::LookUpOpDef(absl::string_view op_type_name,
                                        const OpDef** def) const {
  *def = nullptr;
  const OpRegistrationData* data;
  TF_RETURN_IF_ERROR(LookUp(op_type_name, &data));
  *def = &data->op_def;
  return OkStatus();
}

namespace {

// One name's registration.  `builder` is there until the first look-up; then
// either `data` or an error in `status`.
struct Entry {
  std::unique_ptr<OpDefBuilder> builder;
  std::unique_ptr<const OpRegistrationData> data;
  Status status;

  bool finalized() const { return builder == nullptr; }

  void Finalize() {
    if (finalized()) return;
    auto made = std::make_unique<OpRegistrationData>();
    Status s = builder->Finalize(made.get());
    builder.reset();
    // A second registration of the name may have left its error already.
    status.Update(s);
    if (status.ok()) data = std::move(made);
  }
};

}  // namespace

struct OpRegistry::State {
  mutable absl::Mutex mu;
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries
      ABSL_GUARDED_BY(mu);
  std::vector<OpRegistrationDataFactory> factories ABSL_GUARDED_BY(mu);
  // Callers that found one still hold it.
  std::vector<std::unique_ptr<Entry>> replaced ABSL_GUARDED_BY(mu);
  // Errors that belong to no entry.
  std::vector<Status> errors ABSL_GUARDED_BY(mu);

  void RunFactories() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    std::vector<OpRegistrationDataFactory> pending;
    pending.swap(factories);
    for (const auto& factory : pending) {
      auto data = std::make_unique<OpRegistrationData>();
      Status s = factory(data.get());
      if (s.ok()) s = ValidateOpDef(data->op_def);
      if (!s.ok()) {
        errors.push_back(s);
        continue;
      }
      auto& entry = entries[data->op_def.name()];
      if (entry != nullptr) {
        errors.push_back(errors::AlreadyExists("Op ", data->op_def.name(),
                                               " is registered already"));
        continue;
      }
      entry = std::make_unique<Entry>();
      entry->data = std::move(data);
    }
  }

  std::vector<std::pair<std::string, Entry*>> FinalizeAll()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    RunFactories();
    std::vector<std::pair<std::string, Entry*>> all;
    all.reserve(entries.size());
    for (auto& [name, entry] : entries) {
      entry->Finalize();
      all.emplace_back(name, entry.get());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

OpRegistry::OpRegistry() : state_(std::make_unique<State>()) {}
OpRegistry::~OpRegistry() = default;

OpRegistry* OpRegistry::Global() {
  static OpRegistry* const registry = new OpRegistry;
  return registry;
}

void OpRegistry::Register(OpDefBuilder builder) {
  absl::MutexLock lock(&state_->mu);
  auto& entry = state_->entries[builder.name()];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
    entry->builder = std::make_unique<OpDefBuilder>(std::move(builder));
    return;
  }
  const SourceLocation first = entry->builder != nullptr
                                   ? entry->builder->location()
                               : entry->data != nullptr ? entry->data->location
                                                        : SourceLocation();
  Status error = errors::AlreadyExists(
      "Op ", builder.name(), " is registered twice, at ", first.file, ":",
      first.line, " and at ", builder.location().file, ":",
      builder.location().line);
  // If the first registration has been given out, it stays; otherwise nobody
  // can know which of the two is meant.
  if (entry->finalized()) {
    state_->errors.push_back(error);
  } else {
    entry->status.Update(error);
  }
}

void OpRegistry::Replace(OpDefBuilder builder) {
  absl::MutexLock lock(&state_->mu);
  auto& entry = state_->entries[builder.name()];
  if (entry != nullptr) state_->replaced.push_back(std::move(entry));
  entry = std::make_unique<Entry>();
  entry->builder = std::make_unique<OpDefBuilder>(std::move(builder));
}

void OpRegistry::Register(const OpRegistrationDataFactory& factory) {
  absl::MutexLock lock(&state_->mu);
  state_->factories.push_back(factory);
}

Status OpRegistry::LookUp(absl::string_view op_type_name,
                          const OpRegistrationData** data) const {
  *data = nullptr;
  {
    absl::ReaderMutexLock lock(&state_->mu);
    auto it = state_->entries.find(op_type_name);
    if (it != state_->entries.end() && it->second->finalized() &&
        state_->factories.empty()) {
      *data = it->second->data.get();
      return it->second->status;
    }
  }
  absl::MutexLock lock(&state_->mu);
  state_->RunFactories();
  auto it = state_->entries.find(op_type_name);
  if (it == state_->entries.end()) {
    return errors::NotFound(
        "Op type not registered '", op_type_name,
        "': no library linked into or loaded by this process has a REGISTER_OP "
        "of that name");
  }
  it->second->Finalize();
  *data = it->second->data.get();
  return it->second->status;
}

const OpRegistrationData* OpRegistry::LookUp(
    absl::string_view op_type_name) const {
  const OpRegistrationData* data;
  LookUp(op_type_name, &data).IgnoreError();
  return data;
}

Status OpRegistry::ProcessRegistrations() const {
  absl::MutexLock lock(&state_->mu);
  for (const auto& [name, entry] : state_->FinalizeAll()) {
    TF_RETURN_IF_ERROR(entry->status);
  }
  return state_->errors.empty() ? OkStatus() : state_->errors.front();
}

std::vector<const OpRegistrationData*> OpRegistry::GetRegistrations() const {
  absl::MutexLock lock(&state_->mu);
  std::vector<const OpRegistrationData*> result;
  for (const auto& [name, entry] : state_->FinalizeAll()) {
    if (entry->data != nullptr) result.push_back(entry->data.get());
  }
  return result;
}

void OpRegistry::GetRegisteredOps(std::vector<OpDef>* op_defs) const {
  for (const OpRegistrationData* data : GetRegistrations()) {
    op_defs->push_back(data->op_def);
  }
}

void OpRegistry::Export(bool include_internal, OpList* ops) const {
  ops->Clear();
  for (const OpRegistrationData* data : GetRegistrations()) {
    if (include_internal || !absl::StartsWith(data->op_def.name(), "_")) {
      *ops->add_op() = data->op_def;
    }
  }
}

std::string OpRegistry::DebugString(bool include_internal) const {
  OpList ops;
  Export(include_internal, &ops);
  std::string text;
  for (const OpDef& op : ops.op()) {
    absl::StrAppend(&text, SummarizeOpDef(op), "\n");
  }
  return text;
}

OpListOpRegistry::OpListOpRegistry(const OpList* op_list) {
  for (const OpDef& op : op_list->op()) {
    ops_.push_back(std::make_unique<const OpRegistrationData>(op));
  }
  std::sort(ops_.begin(), ops_.end(), [](const auto& a, const auto& b) {
    return a->op_def.name() < b->op_def.name();
  });
}

OpListOpRegistry::~OpListOpRegistry() = default;

Status OpListOpRegistry::LookUp(absl::string_view op_type_name,
                                const OpRegistrationData** data) const {
  auto it = std::lower_bound(ops_.begin(), ops_.end(), op_type_name,
                             [](const auto& op, absl::string_view name) {
                               return op->op_def.name() < name;
                             });
  const bool found = it != ops_.end() && (*it)->op_def.name() == op_type_name;
  *data = found ? it->get() : nullptr;
  if (found) return OkStatus();
  return errors::NotFound("Op type ", op_type_name, " is not in the op list");
}

namespace register_op {

OpDefBuilderReceiver::OpDefBuilderReceiver(OpDefBuilderWrapper& wrapper) {
  if (auto* staged = StagedRegistrations::Current()) {
    staged->ops.push_back(std::move(wrapper.builder()));
  } else {
    OpRegistry::Global()->Register(std::move(wrapper.builder()));
  }
}

OpDefBuilderReceiver::OpDefBuilderReceiver(OpDefBuilderWrapper&& wrapper)
    : OpDefBuilderReceiver(wrapper) {}

}  // namespace register_op
}  // namespace tensorwright
