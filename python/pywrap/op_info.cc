// SPDX-License-Identifier: Apache-2.0
// The facts about an OpDef that adding an op needs, worked out once per op.
#include "python/pywrap/op_info.h"

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "core/framework/op_registration.h"

namespace tensorwright::pywrap {
std::unique_ptr<OpInfo> MakeOpInfo(const OpDef& def) {
  auto info = std::make_unique<OpInfo>();
  info->name = def.name();
  info->def = &def;
  for (const OpDef::AttrDef& attr : def.attr()) {
    AttrInfo a;
    a.name = attr.name();
    a.def = &attr;
    ParseAttrKind(attr.type(), &a.kind);
    if (attr.has_default_value() && attr.type() == "type") {
      a.default_type = attr.default_value().type();
    }
    info->attrs.push_back(std::move(a));
  }
  for (const OpDef::ArgDef& arg : def.input_arg()) {
    ArgInfo a;
    a.name = arg.name();
    a.type = arg.type();
    a.type_attr = info->FindAttr(arg.type_attr());
    a.number_attr = info->FindAttr(arg.number_attr());
    a.type_list_attr = info->FindAttr(arg.type_list_attr());
    a.is_ref = arg.is_ref();
    info->args.push_back(std::move(a));
  }
  return info;
}

namespace {

const OpInfo* LookUpByName(PyObject* op_type) {
  absl::string_view name;
  if (!AsText(op_type, &name)) return nullptr;
  static auto* const by_name =
      new absl::flat_hash_map<std::string, std::unique_ptr<OpInfo>>;
  const auto it = by_name->find(name);
  if (it != by_name->end()) return it->second.get();
  const OpRegistrationData* data = nullptr;
  const Status status = OpRegistry::Global()->LookUp(name, &data);
  if (!status.ok()) {
    PyErr_Format(PyExc_RuntimeError, "Unrecognized Op name %U: %s", op_type,
                 status.error_message().c_str());
    return nullptr;
  }
  auto& slot = (*by_name)[std::string(name)];
  slot = MakeOpInfo(data->op_def);
  return slot.get();
}

}  // namespace

bool ParseAttrKind(absl::string_view type, AttrKind* kind) {
  kind->is_list = absl::ConsumePrefix(&type, "list(");
  if (kind->is_list) absl::ConsumeSuffix(&type, ")");
  static constexpr struct {
    absl::string_view name;
    AttrKind::Base base;
  } kBases[] = {{"string", AttrKind::kString}, {"int", AttrKind::kInt},
                {"float", AttrKind::kFloat},   {"bool", AttrKind::kBool},
                {"type", AttrKind::kType},     {"shape", AttrKind::kShape},
                {"tensor", AttrKind::kTensor}, {"func", AttrKind::kFunc}};
  for (const auto& b : kBases) {
    if (type == b.name) {
      kind->base = b.base;
      return true;
    }
  }
  return false;
}

int OpInfo::FindAttr(absl::string_view attr_name) const {
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (attrs[i].name == attr_name) return static_cast<int>(i);
  }
  return -1;
}

const OpInfo* FindOpInfo(PyObject* op_type) {
  // Generated wrappers pass the same interned str every time.
  static auto* const by_object =
      new absl::flat_hash_map<PyObject*, const OpInfo*>;
  const auto it = by_object->find(op_type);
  if (it != by_object->end()) return it->second;
  const OpInfo* info = LookUpByName(op_type);
  if (info != nullptr && PyUnicode_CHECK_INTERNED(op_type)) {
    Py_INCREF(op_type);
    by_object->emplace(op_type, info);
  }
  return info;
}

}  // namespace tensorwright::pywrap
