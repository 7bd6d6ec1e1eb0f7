// SPDX-License-Identifier: Apache-2.0
// The form of ops as Python functions.
#include "tools/op_gen/python_signature.h"

#include <charconv>
#include <cmath>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/types.h"

namespace tensorwright {
namespace op_gen {
namespace {

// keyword.kwlist of Python 3, and the two statements of Python 2 that
// TensorFlow avoids.
const std::set<std::string>& Keywords() {
  static const auto* const keywords = new std::set<std::string>(
      {"False", "None",   "True",  "and",      "as",     "assert",   "async",
       "await", "break",  "class", "continue", "def",    "del",      "elif",
       "else",  "except", "exec",  "finally",  "for",    "from",     "global",
       "if",    "import", "in",    "is",       "lambda", "nonlocal", "not",
       "or",    "pass",   "print", "raise",    "return", "try",      "while",
       "with",  "yield"});
  return *keywords;
}

// Functions and types of the builtins module: a function of that name would
// hide them from the file.
const std::set<std::string>& Builtins() {
  static const auto* const builtins = new std::set<std::string>(
      {"abs",          "all",         "any",       "ascii",      "bin",
       "bool",         "breakpoint",  "bytearray", "bytes",      "callable",
       "chr",          "classmethod", "compile",   "complex",    "delattr",
       "dict",         "dir",         "divmod",    "enumerate",  "eval",
       "exec",         "exit",        "filter",    "float",      "format",
       "frozenset",    "getattr",     "globals",   "hasattr",    "hash",
       "help",         "hex",         "id",        "input",      "int",
       "isinstance",   "issubclass",  "iter",      "len",        "list",
       "locals",       "map",         "max",       "memoryview", "min",
       "next",         "object",      "oct",       "open",       "ord",
       "pow",          "print",       "property",  "range",      "repr",
       "reversed",     "set",         "setattr",   "slice",      "sorted",
       "staticmethod", "str",         "sum",       "super",      "tuple",
       "type",         "vars",        "zip"});
  return *builtins;
}

// Built-in types that the annotations of a file name, so no function there may
// have such a name.
bool IsAnnotationType(absl::string_view name) {
  return name == "int" || name == "float" || name == "bool" || name == "str" ||
         name == "list";
}

std::string FloatLiteral(float f) {
  if (std::isnan(f)) return "float(\"nan\")";
  if (std::isinf(f)) return f > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, f).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string ShapeLiteral(const TensorShapeProto& shape) {
  if (shape.unknown_rank()) return "None";
  return absl::StrCat("(",
                      absl::StrJoin(shape.dim(), ", ",
                                    [](std::string* out, const auto& dim) {
                                      if (dim.size() < 0) {
                                        out->append("None");
                                      } else {
                                        absl::StrAppend(out, dim.size());
                                      }
                                    }),
                      shape.dim_size() == 1 ? ",)" : ")");
}

template <typename List, typename Text>
std::string JoinList(const List& list, Text text) {
  std::vector<std::string> items;
  for (const auto& item : list) items.push_back(text(item));
  // A tuple, since a function that gets a list as default could change it.
  return absl::StrCat("(", absl::StrJoin(items, ", "),
                      items.size() == 1 ? ",)" : ")");
}

std::string ListLiteral(const AttrValue::ListValue& list) {
  const auto number = [](int64_t i) { return absl::StrCat(i); };
  if (list.s_size() > 0) return JoinList(list.s(), PythonString);
  if (list.i_size() > 0) return JoinList(list.i(), number);
  if (list.f_size() > 0) return JoinList(list.f(), FloatLiteral);
  if (list.b_size() > 0) {
    return JoinList(list.b(), [](bool b) { return b ? "True" : "False"; });
  }
  if (list.type_size() > 0) {
    return JoinList(list.type(), [](int type) {
      return "_dtypes." + DtypeName(static_cast<DataType>(type));
    });
  }
  if (list.shape_size() > 0) return JoinList(list.shape(), ShapeLiteral);
  if (list.func_size() > 0) {
    return JoinList(list.func(), [](const NameAttrList& func) {
      return PythonString(func.name());
    });
  }
  return "()";
}

// The annotation of an attr's parameter.
std::string AttrType(absl::string_view type) {
  if (absl::StartsWith(type, "list(")) {
    return absl::StrCat("_Sequence[", AttrType(type.substr(5, type.size() - 6)),
                        "]");
  }
  if (type == "string") return "str";
  if (type == "int" || type == "float" || type == "bool") {
    return std::string(type);
  }
  if (type == "type") return "_DTypeLike";
  if (type == "shape") return "_ShapeLike";
  if (type == "tensor") return "_TensorLike";
  return "_typing.Any";  // A function.
}

}  // namespace

std::string SnakeCase(absl::string_view camel_case) {
  std::string out;
  for (size_t i = 0; i < camel_case.size(); ++i) {
    const char c = camel_case[i];
    if (c == '>') {  // "Addons>ImageShift": an op with a namespace.
      out.push_back('_');
      continue;
    }
    // A word starts where lower case ends, or where a capital is followed by
    // lower case.
    if (i > 0 && camel_case[i - 1] != '>' && absl::ascii_isupper(c) &&
        (absl::ascii_islower(camel_case[i - 1]) ||
         (i + 1 < camel_case.size() &&
          absl::ascii_islower(camel_case[i + 1])))) {
      out.push_back('_');
    }
    out.push_back(absl::ascii_tolower(c));
  }
  return out;
}

bool IsPythonKeyword(absl::string_view name) {
  // "print" and "exec" are ordinary names now.
  return name != "print" && name != "exec" &&
         Keywords().count(std::string(name)) > 0;
}

std::string ParameterName(absl::string_view name) {
  if (name == "name" || Keywords().count(std::string(name)) > 0) {
    return absl::StrCat(name, "_");
  }
  return std::string(name);
}

FunctionNames NamesOf(const OpModel& op) {
  const std::string name = SnakeCase(op.name());
  const bool builtin = Builtins().count(name) > 0;
  if (!op.hidden && !builtin && !IsPythonKeyword(name)) return {name, ""};
  const bool no_alias = IsPythonKeyword(name) || IsAnnotationType(name);
  return {"_" + name, no_alias ? "" : name};
}

std::string DtypeName(DataType dtype) {
  const DataType base = BaseType(dtype);
  const std::string suffix = IsRefType(dtype) ? "_ref" : "";
  switch (base) {
    case DT_FLOAT:
      return "float32" + suffix;
    case DT_DOUBLE:
      return "float64" + suffix;
    case DT_HALF:
      return "float16" + suffix;
    default:
      return DataTypeString(base) + suffix;
  }
}

std::string PythonString(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text), "\"");
}

std::string PythonValue(const AttrValue& value) {
  switch (value.value_case()) {
    case AttrValue::kS:
      return PythonString(value.s());
    case AttrValue::kI:
      return absl::StrCat(value.i());
    case AttrValue::kF:
      return FloatLiteral(value.f());
    case AttrValue::kB:
      return value.b() ? "True" : "False";
    case AttrValue::kType:
      return "_dtypes." + DtypeName(value.type());
    case AttrValue::kShape:
      return ShapeLiteral(value.shape());
    case AttrValue::kList:
      return ListLiteral(value.list());
    case AttrValue::kFunc:
      return PythonString(value.func().name());
    default:
      return "None";  // The library fills in the default of a tensor.
  }
}

std::vector<std::string> Parameters(const OpModel& op) {
  std::vector<std::string> out;
  for (const OpDef::ArgDef* arg : op.inputs) {
    out.push_back(
        absl::StrCat(ParameterName(arg->name()), ": ",
                     IsList(*arg) ? "_Sequence[_TensorLike]" : "_TensorLike"));
  }
  for (const OpDef::AttrDef* attr : op.attrs) {
    std::string text =
        absl::StrCat(ParameterName(attr->name()), ": ", AttrType(attr->type()));
    if (attr->has_default_value()) {
      const std::string value = PythonValue(attr->default_value());
      if (value == "None" && !absl::StrContains(text, "Like")) {
        text += " | None";
      }
      absl::StrAppend(&text, " = ", value);
    }
    out.push_back(std::move(text));
  }
  out.push_back("name: str | None = None");
  return out;
}

std::string OutputType(const OpDef::ArgDef& arg) {
  return IsList(arg) ? "list[_ops.Tensor]" : "_ops.Tensor";
}

std::string TupleClass(const OpModel& op) {
  return absl::StrCat("_", op.name(), "Output");
}

std::string ReturnType(const OpModel& op) {
  switch (op.def->output_arg_size()) {
    case 0:
      return "_ops.Operation";
    case 1:
      return OutputType(op.def->output_arg(0));
    default:
      return TupleClass(op);
  }
}

std::string Bracketed(int indent, absl::string_view prefix,
                      absl::string_view open,
                      const std::vector<std::string>& items,
                      absl::string_view close, absl::string_view suffix) {
  const std::string margin(indent, ' ');
  const std::string line = absl::StrCat(
      margin, prefix, open, absl::StrJoin(items, ", "), close, suffix);
  if (static_cast<int>(line.size()) <= kLineWidth &&
      !absl::StrContains(line, "\n")) {
    return line;
  }
  std::string out = absl::StrCat(margin, prefix, open, "\n");
  for (const std::string& item : items) {
    absl::StrAppend(&out, margin, "    ", item, ",\n");
  }
  absl::StrAppend(&out, margin, close, suffix);
  return out;
}

PythonNeeds NeedsOf(const FamilyModel& family) {
  PythonNeeds needs;
  for (const OpModel& op : family.ops) {
    needs.ops = true;
    needs.tuples |= op.def->output_arg_size() > 1;
    for (const std::string& parameter : Parameters(op)) {
      needs.tensor_like |= absl::StrContains(parameter, "_TensorLike");
      needs.dtype_like |= absl::StrContains(parameter, "_DTypeLike");
      needs.shape_like |= absl::StrContains(parameter, "_ShapeLike");
      needs.sequence |= absl::StrContains(parameter, "_Sequence");
      needs.dtypes |= absl::StrContains(parameter, "_dtypes.");
    }
  }
  return needs;
}

}  // namespace op_gen
}  // namespace tensorwright
