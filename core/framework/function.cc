// SPDX-License-Identifier: Apache-2.0
// FunctionLibraryDefinition.
#include "core/framework/function.h"

#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/function.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// A function and its registration.
struct Function {
  explicit Function(const FunctionDef& f)
      : def(f), registration(f.signature()) {
    registration.shape_inference_fn = shape_inference::UnknownShape;
  }
  const FunctionDef def;
  OpRegistrationData registration;
};

// Writes maps in the order of their keys, so equal functions have equal bytes.
std::string Bytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// A function's signature is checked as an op's, except for its name: a function
// may have a name that a Python function may have.
Status ValidateSignature(const OpDef& signature) {
  for (const char c : signature.name()) {
    if (absl::ascii_isalnum(c) || absl::StrContains("_.-/<>", c)) continue;
    return errors::InvalidArgument(
        "a function's name must consist of letters,"
        " digits and _.-/<>");
  }
  if (signature.name().empty()) {
    return errors::InvalidArgument("a function must have a name");
  }
  OpDef as_op = signature;
  as_op.set_name("Function");
  return ValidateOpDef(as_op);
}

// Turns into variants those arguments of `signature` that say they are
// resources and that `node` takes as variants.
void TakeAsVariant(const OpDef& op, const NodeDef& node, OpDef* signature) {
  for (int i = 0; i < op.input_arg_size() && i < node.input_size(); ++i) {
    const OpDef::ArgDef& input = op.input_arg(i);
    // Once a list precedes an input, only the attrs tell its position.
    if (!input.number_attr().empty() || !input.type_list_attr().empty()) return;
    if (input.type() != DT_VARIANT) continue;
    for (OpDef::ArgDef& arg : *signature->mutable_input_arg()) {
      if (arg.name() == node.input(i) && arg.type() == DT_RESOURCE) {
        arg.set_type(DT_VARIANT);
      }
    }
  }
}

// Graphs of TensorFlow 1.3 hand on datasets as resources; since then ops take
// and give them as variants. So functions whose signatures say otherwise are
// changed to do the same.
FunctionDef WithTypesOfNodes(const OpRegistryInterface& ops,
                             const FunctionDef& def) {
  FunctionDef fixed = def;
  for (const NodeDef& node : def.node_def()) {
    const OpRegistrationData* op = nullptr;
    if (ops.LookUp(node.op(), &op).ok()) {
      TakeAsVariant(op->op_def, node, fixed.mutable_signature());
    }
  }
  for (OpDef::ArgDef& result :
       *fixed.mutable_signature()->mutable_output_arg()) {
    if (result.type() != DT_RESOURCE) continue;
    const auto source = def.ret().find(result.name());
    if (source == def.ret().end()) continue;
    const std::vector<std::string> parts = absl::StrSplit(source->second, ':');
    for (const NodeDef& node : def.node_def()) {
      const OpRegistrationData* op = nullptr;
      if (node.name() != parts[0] || !ops.LookUp(node.op(), &op).ok()) continue;
      for (const OpDef::ArgDef& output : op->op_def.output_arg()) {
        if (parts.size() > 1 && output.name() == parts[1] &&
            output.type() == DT_VARIANT) {
          result.set_type(DT_VARIANT);
        }
      }
    }
  }
  return fixed;
}

}  // namespace

struct FunctionLibraryDefinition::State {
  mutable absl::Mutex mu;
  std::map<std::string, std::shared_ptr<const Function>, std::less<>> functions
      ABSL_GUARDED_BY(mu);
  std::map<std::string, std::string, std::less<>> gradients ABSL_GUARDED_BY(mu);
  // Nodes still point to their registrations.
  std::vector<std::shared_ptr<const Function>> removed ABSL_GUARDED_BY(mu);
  // Most graphs have no functions: look-ups of ops then take no lock.
  std::atomic<bool> ever_had_any{false};

  const Function* FindLocked(absl::string_view name) const
      ABSL_SHARED_LOCKS_REQUIRED(mu) {
    const auto it = functions.find(name);
    return it == functions.end() ? nullptr : it->second.get();
  }

  // Sets *is_new to whether it was not there before.
  Status Add(const OpRegistryInterface& ops, const FunctionDef& given,
             bool* is_new) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    const FunctionDef def = WithTypesOfNodes(ops, given);
    const std::string& name = def.signature().name();
    *is_new = false;
    if (const Function* known = FindLocked(name)) {
      if (Bytes(known->def) == Bytes(def)) return OkStatus();
      return errors::InvalidArgument("Function library: cannot add function '",
                                     name, "': another function has that name");
    }
    const OpRegistrationData* op = nullptr;
    if (!errors::IsNotFound(ops.LookUp(name, &op))) {
      return errors::InvalidArgument("Function library: cannot add function '",
                                     name, "': an op has that name");
    }
    Status status = ValidateSignature(def.signature());
    if (!status.ok()) {
      return errors::InvalidArgument("Function library: cannot add function '",
                                     name, "': ", status.message());
    }
    functions.emplace(name, std::make_shared<Function>(def));
    ever_had_any.store(true, std::memory_order_release);
    *is_new = true;
    return OkStatus();
  }

  Status AddGradient(const GradientDef& def, bool* is_new)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    const auto [it, added] =
        gradients.emplace(def.function_name(), def.gradient_func());
    *is_new = added;
    if (added || it->second == def.gradient_func()) return OkStatus();
    return errors::InvalidArgument("Function library: cannot add gradient '",
                                   def.gradient_func(), "' of function '",
                                   def.function_name(), "': its gradient is '",
                                   it->second, "' already");
  }

  void Remove(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    const auto it = functions.find(name);
    removed.push_back(std::move(it->second));
    functions.erase(it);
  }
};

FunctionLibraryDefinition::FunctionLibraryDefinition(
    const OpRegistryInterface* ops)
    : ops_(ops), state_(std::make_unique<State>()) {}

FunctionLibraryDefinition::~FunctionLibraryDefinition() = default;

bool FunctionLibraryDefinition::empty() const {
  absl::ReaderMutexLock lock(&state_->mu);
  return state_->functions.empty() && state_->gradients.empty();
}

bool FunctionLibraryDefinition::Contains(absl::string_view name) const {
  return Find(name) != nullptr;
}

std::shared_ptr<const FunctionDef> FunctionLibraryDefinition::Find(
    absl::string_view name) const {
  absl::ReaderMutexLock lock(&state_->mu);
  const auto it = state_->functions.find(name);
  if (it == state_->functions.end()) return nullptr;
  return std::shared_ptr<const FunctionDef>(it->second, &it->second->def);
}

std::vector<std::string> FunctionLibraryDefinition::ListFunctionNames() const {
  absl::ReaderMutexLock lock(&state_->mu);
  std::vector<std::string> names;
  for (const auto& [name, function] : state_->functions) names.push_back(name);
  return names;
}

Status FunctionLibraryDefinition::AddFunctionDef(const FunctionDef& function) {
  absl::MutexLock lock(&state_->mu);
  bool is_new;
  return state_->Add(*ops_, function, &is_new);
}

Status FunctionLibraryDefinition::RemoveFunction(absl::string_view name) {
  absl::MutexLock lock(&state_->mu);
  if (state_->FindLocked(name) == nullptr) {
    return errors::NotFound("Function library: there is no function '", name,
                            "'");
  }
  state_->Remove(std::string(name));
  return OkStatus();
}

std::string FunctionLibraryDefinition::FindGradient(
    absl::string_view function) const {
  absl::ReaderMutexLock lock(&state_->mu);
  const auto it = state_->gradients.find(function);
  return it == state_->gradients.end() ? "" : it->second;
}

Status FunctionLibraryDefinition::AddGradientDef(const GradientDef& gradient) {
  absl::MutexLock lock(&state_->mu);
  bool is_new;
  return state_->AddGradient(gradient, &is_new);
}

Status FunctionLibraryDefinition::RemoveGradient(absl::string_view function) {
  absl::MutexLock lock(&state_->mu);
  const auto it = state_->gradients.find(function);
  if (it == state_->gradients.end()) {
    return errors::NotFound("Function library: function '", function,
                            "' has no gradient");
  }
  state_->gradients.erase(it);
  return OkStatus();
}

Status FunctionLibraryDefinition::AddLibrary(
    const FunctionDefLibrary& library) {
  absl::MutexLock lock(&state_->mu);
  std::vector<std::string> functions;
  std::vector<std::string> gradients;
  Status status;
  bool is_new;
  for (const FunctionDef& def : library.function()) {
    status.Update(state_->Add(*ops_, def, &is_new));
    if (is_new) functions.push_back(def.signature().name());
    if (!status.ok()) break;
  }
  for (const GradientDef& def : library.gradient()) {
    if (!status.ok()) break;
    status.Update(state_->AddGradient(def, &is_new));
    if (is_new) gradients.push_back(def.function_name());
  }
  if (status.ok()) return status;
  for (const std::string& name : functions) state_->Remove(name);
  for (const std::string& name : gradients) state_->gradients.erase(name);
  return status;
}

Status FunctionLibraryDefinition::AddLibrary(
    const FunctionLibraryDefinition& other) {
  FunctionDefLibrary library;
  other.ToProto(&library);
  return AddLibrary(library);
}

void FunctionLibraryDefinition::ToProto(FunctionDefLibrary* library) const {
  absl::ReaderMutexLock lock(&state_->mu);
  library->Clear();
  for (const auto& [name, function] : state_->functions) {
    *library->add_function() = function->def;
  }
  for (const auto& [name, gradient] : state_->gradients) {
    GradientDef* def = library->add_gradient();
    def->set_function_name(name);
    def->set_gradient_func(gradient);
  }
}

Status FunctionLibraryDefinition::LookUp(
    absl::string_view op_type_name, const OpRegistrationData** data) const {
  if (state_->ever_had_any.load(std::memory_order_acquire)) {
    absl::ReaderMutexLock lock(&state_->mu);
    if (const Function* function = state_->FindLocked(op_type_name)) {
      *data = &function->registration;
      return OkStatus();
    }
  }
  return ops_->LookUp(op_type_name, data);
}

std::string Canonicalize(const std::string& name, const AttrSlice& attrs) {
  if (attrs.size() == 0) return name;
  std::map<std::string, std::string> sorted;
  for (const auto& [attr, value] : attrs.attrs()) {
    // Other values have no unambiguous short form.
    const bool is_short = value.value_case() == AttrValue::kType ||
                          value.value_case() == AttrValue::kI ||
                          value.value_case() == AttrValue::kB;
    sorted[attr] = is_short ? SummarizeAttrValue(value) : Bytes(value);
  }
  std::string text = name;
  const char* before = "[";
  for (const auto& [attr, value] : sorted) {
    absl::StrAppend(&text, before, attr, "=", value);
    before = ", ";
  }
  return text + "]";
}

bool FunctionLibraryRuntime::IsStateful(const std::string& name) const {
  const std::shared_ptr<const FunctionDef> def =
      GetFunctionLibraryDefinition()->Find(name);
  return def != nullptr && def->signature().is_stateful();
}

}  // namespace tensorwright
