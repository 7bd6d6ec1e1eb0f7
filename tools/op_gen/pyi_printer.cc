// SPDX-License-Identifier: Apache-2.0
// The .pyi of a family.
#include "tools/op_gen/pyi_printer.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/op_gen/python_signature.h"

namespace tensorwright {
namespace op_gen {
namespace {

std::string TupleDefinition(const OpModel& op) {
  std::string out =
      absl::StrCat("class ", TupleClass(op), "(_typing.NamedTuple):\n");
  for (const OpDef::ArgDef& arg : op.def->output_arg()) {
    absl::StrAppend(&out, "    ", ParameterName(arg.name()), ": ",
                    OutputType(arg), "\n");
  }
  return out;
}

// The imports of the names for types that functions accept, sorted as ruff
// does.
std::string AliasImports(const PythonNeeds& needs) {
  std::string out;
  const auto add = [&out](bool needed, absl::string_view alias) {
    if (!needed) return;
    absl::StrAppend(
        &out, "from tensorwright.python.framework.type_aliases import (\n    ",
        alias, " as _", alias, ",\n)\n");
  };
  add(needs.dtype_like, "DTypeLike");
  add(needs.shape_like, "ShapeLike");
  add(needs.tensor_like, "TensorLike");
  return out;
}

// All parameters of the family's functions.
std::string ParametersOf(const FamilyModel& family) {
  std::string out;
  for (const OpModel& op : family.ops) {
    absl::StrAppend(&out, absl::StrJoin(Parameters(op), ", "), "\n");
  }
  return out;
}

}  // namespace

std::string PyiPrinter::Print(const FamilyModel& family) const {
  const PythonNeeds needs = NeedsOf(family);
  std::string out =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Printed by //tools/op_gen from the op registry; edits are lost.\n";
  // A parameter of an attr that is a function is `Any`.
  const bool typing =
      needs.tuples || absl::StrContains(ParametersOf(family), "_typing.");
  if (typing) out += "import typing as _typing\n";
  if (needs.sequence) {
    out += "from collections.abc import Sequence as _Sequence\n";
  }
  if (typing || needs.sequence) out += "\n";
  if (needs.dtypes) {
    out += "from tensorwright.python.framework import dtypes as _dtypes\n";
  }
  if (needs.ops) {
    out += "from tensorwright.python.framework import ops as _ops\n";
  }
  out += AliasImports(needs);
  // ruff puts functions one below the other, and a blank line around everything
  // else.
  bool after_function = false;
  for (const OpModel& op : family.ops) {
    const FunctionNames names = NamesOf(op);
    if (op.def->output_arg_size() > 1) {
      absl::StrAppend(&out, "\n", TupleDefinition(op));
      after_function = false;
    }
    absl::StrAppend(
        &out, after_function ? "" : "\n",
        Bracketed(0, absl::StrCat("def ", names.defined), "(", Parameters(op),
                  ")", absl::StrCat(" -> ", ReturnType(op), ": ...")),
        "\n");
    after_function = names.alias.empty();
    if (!after_function) {
      absl::StrAppend(&out, "\n", names.alias, " = ", names.defined, "\n");
    }
  }
  return out;
}

}  // namespace op_gen
}  // namespace tensorwright
