// SPDX-License-Identifier: Apache-2.0
// The facts about an OpDef that adding an op needs, worked out once per op.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_OP_INFO_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_OP_INFO_H_

#include "core/framework/op_def.pb.h"
#include "python/pywrap/py_ref.h"
// py_ref.h comes first.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/op.h"
#include "core/framework/types.h"

namespace tensorwright::pywrap {

// An attr's type: "int", "list(int)", ...
struct AttrKind {
  enum Base : uint8_t {
    kString,
    kInt,
    kFloat,
    kBool,
    kType,
    kShape,
    kTensor,
    kFunc
  };
  Base base = kString;
  bool is_list = false;
};
bool ParseAttrKind(absl::string_view type, AttrKind* kind);

struct AttrInfo {
  std::string name;
  AttrKind kind;
  const OpDef::AttrDef* def = nullptr;
  DataType default_type = DT_INVALID;  // For a "type" attr that has a default.
};

struct ArgInfo {
  std::string name;
  DataType type = DT_INVALID;  // DT_INVALID: an attr gives it.
  int type_attr = -1;          // Indices into OpInfo::attrs, or -1.
  int number_attr = -1;
  int type_list_attr = -1;
  bool is_ref = false;
  bool is_list() const { return number_attr >= 0 || type_list_attr >= 0; }
};

struct OpInfo {
  std::string name;
  const OpDef* def = nullptr;
  std::vector<ArgInfo> args;
  std::vector<AttrInfo> attrs;

  // -1 if there is none.
  int FindAttr(absl::string_view name) const;
};

// Refers to `def`, which outlives it.
std::unique_ptr<OpInfo> MakeOpInfo(const OpDef& def);

// Cached by the identity of `op_type`, a str.  nullptr with RuntimeError set if
// there is no such op.
const OpInfo* FindOpInfo(PyObject* op_type);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_OP_INFO_H_
