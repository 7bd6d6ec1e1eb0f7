// SPDX-License-Identifier: Apache-2.0
// The .pyi of a family.
#include "tools/op_gen/pyi_printer.h"

#include "absl/strings/str_cat.h"
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

}  // namespace

std::string PyiPrinter::Print(const FamilyModel& family) const {
  const PythonNeeds needs = NeedsOf(family);
  std::string out =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Printed by //tools/op_gen from the op registry; edits are lost.\n";
  const bool aliases =
      needs.tensor_like || needs.dtype_like || needs.shape_like;
  if (needs.tuples || aliases) out += "import typing as _typing\n";
  if (needs.sequence) {
    out += "from collections.abc import Sequence as _Sequence\n";
  }
  if (needs.tuples || aliases || needs.sequence) out += "\n";
  if (needs.dtypes) {
    out += "from tensorwright.python.framework import dtypes as _dtypes\n";
  }
  if (needs.ops) {
    out += "from tensorwright.python.framework import ops as _ops\n";
  }
  if (aliases) out += "\n";
  const std::string any = ": _typing.TypeAlias = _typing.Any\n";
  if (needs.tensor_like) out += "_TensorLike" + any;
  if (needs.dtype_like) out += "_DTypeLike" + any;
  if (needs.shape_like) out += "_ShapeLike" + any;
  // ruff puts functions one below the other, and a blank line around all else.
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
