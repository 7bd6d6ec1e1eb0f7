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
  if (needs.tuples || needs.tensor_like || needs.dtype_like ||
      needs.shape_like) {
    out += "import typing as _typing\n\n";
  }
  if (needs.dtypes) {
    out += "from tensorwright.python.framework import dtypes as _dtypes\n";
  }
  if (needs.ops) {
    out += "from tensorwright.python.framework import ops as _ops\n\n";
  }
  if (needs.tensor_like) out += "_TensorLike = _typing.Any\n";
  if (needs.dtype_like) out += "_DTypeLike = _typing.Any\n";
  if (needs.shape_like) out += "_ShapeLike = _typing.Any\n";
  for (const OpModel& op : family.ops) {
    const FunctionNames names = NamesOf(op);
    out += "\n";
    if (op.def->output_arg_size() > 1) {
      absl::StrAppend(&out, TupleDefinition(op), "\n");
    }
    absl::StrAppend(
        &out,
        Bracketed(0, absl::StrCat("def ", names.defined), "(", Parameters(op),
                  ")", absl::StrCat(" -> ", ReturnType(op), ": ...")),
        "\n");
    if (!names.alias.empty()) {
      absl::StrAppend(&out, "\n", names.alias, " = ", names.defined, "\n");
    }
  }
  return out;
}

}  // namespace op_gen
}  // namespace tensorwright
