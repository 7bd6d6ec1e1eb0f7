// SPDX-License-Identifier: Apache-2.0
// The .py of a family.
#include "tools/op_gen/python_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tools/op_gen/python_doc.h"
#include "tools/op_gen/python_signature.h"

namespace tensorwright {
namespace op_gen {
namespace {

// An expression that is part of another, without its margin.
std::string Nested(int indent, absl::string_view open,
                   const std::vector<std::string>& items,
                   absl::string_view close) {
  // One column is left for the comma after it.
  const std::string text = Bracketed(indent, "", open, items, close, ",");
  return text.substr(indent, text.size() - indent - 1);
}

std::string InputTuple(const OpModel& op) {
  std::vector<std::string> items;
  for (const OpDef::ArgDef* arg : op.inputs) {
    items.push_back(ParameterName(arg->name()));
  }
  if (items.size() == 1) return absl::StrCat("(", items[0], ",)");
  return Nested(8, "(", items, ")");
}

std::string AttrDict(const OpModel& op) {
  std::vector<std::string> items;
  for (const OpDef::AttrDef* attr : op.attrs) {
    items.push_back(
        absl::StrCat("\"", attr->name(), "\": ", ParameterName(attr->name())));
  }
  return Nested(8, "{", items, "}");
}

// The number of tensors of a list output, as an expression.
std::string LengthOf(const OpDef::ArgDef& arg) {
  if (!arg.number_attr().empty()) {
    return absl::StrCat("_op.get_attr(\"", arg.number_attr(), "\")");
  }
  return absl::StrCat("len(_op.get_attr(\"", arg.type_list_attr(), "\"))");
}

// Cuts the flat outputs into the fields of the tuple.
std::string SplitOutputs(const OpModel& op) {
  std::string out = "    _rest = iter(_op.outputs)\n";
  std::vector<std::string> fields;
  for (const OpDef::ArgDef& arg : op.def->output_arg()) {
    if (!IsList(arg)) {
      fields.push_back("next(_rest)");
      continue;
    }
    const std::string range =
        absl::StrCat("for _ in range(", LengthOf(arg), ")");
    const std::string line = absl::StrCat("[next(_rest) ", range, "]");
    // Breaks a line that is too long with its indentation and comma, as the
    // formatter does.
    fields.push_back(line.size() + 9 <= kLineWidth
                         ? line
                         : absl::StrCat("[\n            next(_rest)\n"
                                        "            ",
                                        range, "\n        ]"));
  }
  return absl::StrCat(out,
                      Bracketed(4, absl::StrCat("return ", TupleClass(op)), "(",
                                fields, ")", ""),
                      "\n");
}

// True for a list output that an attr may make empty: then the function returns
// the operation itself.
bool MayBeEmpty(const OpModel& op, const OpDef::ArgDef& arg) {
  const OpDef::AttrDef* attr = op.FindAttr(
      arg.number_attr().empty() ? arg.type_list_attr() : arg.number_attr());
  return attr != nullptr && attr->minimum() == 0;
}

std::string ReturnStatement(const OpModel& op) {
  const auto& outputs = op.def->output_arg();
  if (outputs.empty()) return "    return _op\n";
  if (outputs.size() == 1) {
    if (!IsList(outputs[0])) return "    return _op.outputs[0]\n";
    return MayBeEmpty(op, outputs[0]) ? "    return list(_op.outputs) or _op\n"
                                      : "    return list(_op.outputs)\n";
  }
  for (const OpDef::ArgDef& arg : outputs) {
    if (IsList(arg)) return SplitOutputs(op);
  }
  return absl::StrCat("    return ", TupleClass(op), "(*_op.outputs)\n");
}

std::string TupleDefinition(const OpModel& op) {
  std::vector<std::string> fields;
  for (const OpDef::ArgDef& arg : op.def->output_arg()) {
    fields.push_back(absl::StrCat("\"", ParameterName(arg.name()), "\""));
  }
  std::string list = absl::StrCat("[", absl::StrJoin(fields, ", "), "]");
  // The list is one line, with its indent and comma, or has one field on each
  // line.
  if (list.size() + 5 > kLineWidth) {
    list = absl::StrCat("[\n        ", absl::StrJoin(fields, ",\n        "),
                        ",\n    ]");
  }
  const std::string name = absl::StrCat("\"", op.name(), "\"");
  return absl::StrCat(
      Bracketed(0, absl::StrCat(TupleClass(op), " = _collections.namedtuple"),
                "(", {name, list}, ")", ""),
      "\n\n\n");
}

}  // namespace

std::string PythonPrinter::PrintOp(const OpModel& op) const {
  const FunctionNames names = NamesOf(op);
  std::string out;
  if (op.def->output_arg_size() > 1) out += TupleDefinition(op);
  absl::StrAppend(
      &out,
      Bracketed(0, absl::StrCat("def ", names.defined), "(", Parameters(op),
                ")", absl::StrCat(" -> ", ReturnType(op), ":")),
      "\n", Docstring(op));
  absl::StrAppend(&out,
                  Bracketed(4, "_op = _apply_op", "(",
                            {absl::StrCat("\"", op.name(), "\""), "name",
                             InputTuple(op), AttrDict(op)},
                            ")", ""),
                  "\n", ReturnStatement(op));
  if (!names.alias.empty()) {
    absl::StrAppend(&out, "\n\n", names.alias, " = ", names.defined, "\n");
  }
  return out;
}

std::string PythonPrinter::Print(const FamilyModel& family) const {
  const PythonNeeds needs = NeedsOf(family);
  std::string out = absl::StrCat(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Printed by //tools/op_gen from the op registry; edits are lost.\n"
      "\"\"\"Functions that add the ",
      family.name, " ops to a graph, one an op.\"\"\"\n\n",
      "from __future__ import annotations\n");
  const bool aliases =
      needs.tensor_like || needs.dtype_like || needs.shape_like;
  if (needs.tuples) out += "\nimport collections as _collections";
  if (aliases) out += "\nimport typing as _typing";
  if (needs.sequence) {
    out += "\nfrom collections.abc import Sequence as _Sequence";
  }
  if (needs.tuples || aliases || needs.sequence) out += "\n";
  if (needs.dtypes) {
    out += "\nfrom tensorwright.python.framework import dtypes as _dtypes";
  }
  if (needs.ops) {
    // One result, or none, has a class; several have a tuple of their own.
    const bool names_classes = std::any_of(
        family.ops.begin(), family.ops.end(),
        [](const OpModel& op) { return op.def->output_arg_size() < 2; });
    if (names_classes) {
      out += "\nfrom tensorwright.python.framework import ops as _ops";
    }
    out +=
        "\nfrom tensorwright.python.framework.op_def_library import apply_op "
        "as "
        "_apply_op\n";
  }
  if (aliases) out += "\n";
  if (needs.tensor_like) {
    out += "_TensorLike = _typing.Any  # What tf.convert_to_tensor takes.\n";
  }
  if (needs.dtype_like) {
    out += "_DTypeLike = _typing.Any  # What tf.as_dtype takes.\n";
  }
  if (needs.shape_like) {
    out += "_ShapeLike = _typing.Any  # What tf.TensorShape takes.\n";
  }
  for (const OpModel& op : family.ops) {
    absl::StrAppend(&out, "\n\n", PrintOp(op));
  }
  return out;
}

}  // namespace op_gen
}  // namespace tensorwright
