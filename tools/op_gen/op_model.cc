// SPDX-License-Identifier: Apache-2.0
// Turns registrations into models of functions.
#include "tools/op_gen/op_model.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace op_gen {

const OpDef::AttrDef* OpModel::FindAttr(absl::string_view attr_name) const {
  for (const OpDef::AttrDef& attr : def->attr()) {
    if (attr.name() == attr_name) return &attr;
  }
  return nullptr;
}

std::set<std::string> InferredAttrs(const OpDef& def) {
  std::set<std::string> inferred;
  for (const OpDef::ArgDef& arg : def.input_arg()) {
    for (const std::string* attr :
         {&arg.type_attr(), &arg.number_attr(), &arg.type_list_attr()}) {
      if (!attr->empty()) inferred.insert(*attr);
    }
  }
  return inferred;
}

bool IsList(const OpDef::ArgDef& arg) {
  return !arg.number_attr().empty() || !arg.type_list_attr().empty();
}

std::string FamilyOfFile(absl::string_view path) {
  if (absl::StartsWith(path, "user_ops/") ||
      absl::StrContains(path, "/user_ops/")) {
    return "user";
  }
  if (const size_t slash = path.rfind('/'); slash != absl::string_view::npos) {
    path.remove_prefix(slash + 1);
  }
  path = path.substr(0, path.find('.'));
  for (size_t at = path.find("_ops"); at != absl::string_view::npos;
       at = path.find("_ops", at + 1)) {
    const absl::string_view rest = path.substr(at + 4);
    if (rest.empty() || rest[0] == '_') return std::string(path.substr(0, at));
  }
  return std::string(path);
}

OpModel MakeOpModel(const OpRegistrationData& registration, bool hidden) {
  OpModel op;
  op.def = &registration.op_def;
  op.location = registration.location;
  op.hidden = hidden;
  for (const OpDef::ArgDef& arg : op.def->input_arg()) {
    op.inputs.push_back(&arg);
  }
  const std::set<std::string> inferred = InferredAttrs(*op.def);
  for (const OpDef::AttrDef& attr : op.def->attr()) {
    if (inferred.count(attr.name()) == 0) op.attrs.push_back(&attr);
  }
  std::stable_partition(
      op.attrs.begin(), op.attrs.end(),
      [](const OpDef::AttrDef* attr) { return !attr->has_default_value(); });
  return op;
}

FamilyModel MakeFamily(
    absl::string_view family, const std::set<std::string>& hidden,
    const std::vector<const OpRegistrationData*>& registrations) {
  FamilyModel model;
  model.name = std::string(family);
  for (const OpRegistrationData* registration : registrations) {
    const std::string& name = registration->op_def.name();
    if (absl::StartsWith(name, "_")) continue;
    if (!family.empty() &&
        FamilyOfFile(registration->location.file) != family) {
      continue;
    }
    model.ops.push_back(MakeOpModel(*registration, hidden.count(name) > 0));
  }
  std::sort(
      model.ops.begin(), model.ops.end(),
      [](const OpModel& a, const OpModel& b) { return a.name() < b.name(); });
  return model;
}

Status LoadFamily(absl::string_view family, const std::set<std::string>& hidden,
                  FamilyModel* model) {
  TF_RETURN_IF_ERROR(OpRegistry::Global()->ProcessRegistrations());
  *model = MakeFamily(family, hidden, OpRegistry::Global()->GetRegistrations());
  return OkStatus();
}

}  // namespace op_gen
}  // namespace tensorwright
