// SPDX-License-Identifier: Apache-2.0
// Makes docstrings from registrations.
#include "tools/op_gen/python_doc.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/types.h"
#include "tools/op_gen/python_signature.h"

namespace tensorwright {
namespace op_gen {
namespace {

// "`a`, `b` or `c`".
std::string Alternatives(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    absl::StrAppend(&out, "`", names[i], "`");
  }
  return out;
}

// The dtypes an attr allows; empty if all.
std::vector<std::string> AllowedTypes(const OpDef::AttrDef& attr) {
  std::vector<std::string> names;
  for (int type : attr.allowed_values().list().type()) {
    names.push_back(DtypeName(static_cast<DataType>(type)));
  }
  return names;
}

// The first argument of the op, in the order of the docstring, whose dtype is
// attr `type_attr`.
const OpDef::ArgDef* FirstOfType(const OpModel& op,
                                 const std::string& type_attr) {
  for (const OpDef::ArgDef& arg : op.def->input_arg()) {
    if (arg.type_attr() == type_attr) return &arg;
  }
  return nullptr;
}

// "of `float32` or `float64`", "with the dtype of `x`", "of dtype `dtype`";
// empty if any will do.
std::string TypeClause(const OpModel& op, const OpDef::ArgDef& arg) {
  if (arg.type() != DT_INVALID) {
    return absl::StrCat(" of `", DtypeName(arg.type()), "`");
  }
  if (!arg.type_list_attr().empty()) {
    const OpDef::AttrDef* attr = op.FindAttr(arg.type_list_attr());
    const auto allowed =
        attr == nullptr ? std::vector<std::string>() : AllowedTypes(*attr);
    return allowed.empty() ? "" : absl::StrCat(" of ", Alternatives(allowed));
  }
  const OpDef::ArgDef* first = FirstOfType(op, arg.type_attr());
  if (first != nullptr && first != &arg) {
    return absl::StrCat(" with the dtype of `", ParameterName(first->name()),
                        "`");
  }
  if (first == nullptr) {
    return absl::StrCat(" of dtype `", ParameterName(arg.type_attr()), "`");
  }
  const OpDef::AttrDef* attr = op.FindAttr(arg.type_attr());
  const auto allowed =
      attr == nullptr ? std::vector<std::string>() : AllowedTypes(*attr);
  return allowed.empty() ? "" : absl::StrCat(" of ", Alternatives(allowed));
}

std::string TensorText(const OpModel& op, const OpDef::ArgDef& arg) {
  const std::string clause = TypeClause(op, arg);
  if (!arg.number_attr().empty()) {
    const OpDef::AttrDef* attr = op.FindAttr(arg.number_attr());
    const int64_t minimum =
        attr != nullptr && attr->has_minimum() ? attr->minimum() : 0;
    return absl::StrCat(
        "A list of ",
        minimum > 1 ? absl::StrCat("at least ", minimum, " ") : "",
        arg.is_ref() ? "mutable `Tensor`s" : "`Tensor`s", clause, ".");
  }
  if (!arg.type_list_attr().empty()) {
    return absl::StrCat("A list of `Tensor`s", clause, ".");
  }
  return absl::StrCat(arg.is_ref() ? "A mutable `Tensor`" : "A `Tensor`",
                      clause, ".");
}

// "An `int` >= 1", "A list of `int`s", "One of `"SAME"` or `"VALID"`".
std::string AttrText(const OpDef::AttrDef& attr) {
  absl::string_view type = attr.type();
  const bool is_list = absl::StartsWith(type, "list(");
  if (is_list) type = type.substr(5, type.size() - 6);
  std::string noun = type == "string"   ? "str"
                     : type == "type"   ? "tf.DType"
                     : type == "shape"  ? "tf.TensorShape"
                     : type == "tensor" ? "tf.TensorProto"
                     : type == "func"   ? "function"
                                        : std::string(type);
  std::vector<std::string> allowed = AllowedTypes(attr);
  for (const std::string& s : attr.allowed_values().list().s()) {
    allowed.push_back(PythonString(s));
  }
  std::string text;
  if (is_list) {
    text = absl::StrCat("A list of `", noun, "`s");
    if (attr.has_minimum() && attr.minimum() > 0) {
      absl::StrAppend(&text, ", at least ", attr.minimum());
    }
    if (!allowed.empty()) {
      absl::StrAppend(&text, ", each ", Alternatives(allowed));
    }
  } else if (!allowed.empty()) {
    text = absl::StrCat(type == "string" ? "" : "A `tf.DType`: ",
                        Alternatives(allowed));
  } else {
    text = absl::StrCat(noun == "int" ? "An `" : "A `", noun, "`");
    if (attr.has_minimum()) absl::StrAppend(&text, " >= ", attr.minimum());
  }
  if (attr.has_default_value()) {
    const std::string value = absl::StrReplaceAll(
        PythonValue(attr.default_value()), {{"_dtypes.", "tf."}});
    absl::StrAppend(&text, "; default `", value, "`");
  }
  return text + ".";
}

// Joins several lines of prose to one.
std::string Joined(absl::string_view a, absl::string_view b) {
  const std::string more(absl::StripAsciiWhitespace(b));
  return more.empty() ? std::string(a) : absl::StrCat(a, " ", more);
}

void AppendEntry(const std::string& name, const std::string& text,
                 std::string* out) {
  absl::StrAppend(
      out, Wrapped(absl::StrCat("        ", name, ": "), text, 12, kLineWidth),
      "\n");
}

void AppendReturns(const OpModel& op, std::string* out) {
  const auto& outputs = op.def->output_arg();
  absl::StrAppend(out, "\n    Returns:\n");
  if (outputs.empty()) {
    absl::StrAppend(out, "        The `Operation`.\n");
    return;
  }
  if (outputs.size() == 1) {
    absl::StrAppend(
        out,
        Wrapped("        ",
                Joined(TensorText(op, outputs[0]), outputs[0].description()), 8,
                kLineWidth),
        "\n");
    return;
  }
  std::vector<std::string> names;
  for (const auto& arg : outputs) names.push_back(arg.name());
  absl::StrAppend(
      out,
      Wrapped("        ",
              absl::StrCat("A named tuple (", absl::StrJoin(names, ", "), ")."),
              8, kLineWidth),
      "\n\n");
  for (const auto& arg : outputs) {
    AppendEntry(arg.name(), Joined(TensorText(op, arg), arg.description()),
                out);
  }
}

// Prose as it is written, paragraph by paragraph; indented lines stay as they
// are.
void AppendDescription(absl::string_view description, std::string* out) {
  for (absl::string_view line :
       absl::StrSplit(absl::StripAsciiWhitespace(description), '\n')) {
    line = absl::StripTrailingAsciiWhitespace(line);
    if (line.empty()) {
      absl::StrAppend(out, "\n");
    } else {
      absl::StrAppend(out, Wrapped("    ", line, 4, kLineWidth), "\n");
    }
  }
}

}  // namespace

std::string Wrapped(absl::string_view first, absl::string_view text, int indent,
                    int width) {
  std::string out(first);
  size_t column = first.size();
  bool fresh = true;  // The line has nothing but the margin so far.
  // The space at the beginning of a line is its own indentation.
  const absl::string_view stripped = absl::StripLeadingAsciiWhitespace(text);
  out.append(text.size() - stripped.size(), ' ');
  column += text.size() - stripped.size();
  for (absl::string_view word :
       absl::StrSplit(stripped, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (!fresh && column + 1 + word.size() > static_cast<size_t>(width)) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
      fresh = true;
    }
    if (!fresh) {
      out.push_back(' ');
      ++column;
    }
    absl::StrAppend(&out, word);
    column += word.size();
    fresh = false;
  }
  return std::string(absl::StripTrailingAsciiWhitespace(out));
}

std::string Docstring(const OpModel& op) {
  std::string body;
  std::string summary(absl::StripAsciiWhitespace(op.def->summary()));
  if (summary.empty()) summary = absl::StrCat("The op `", op.name(), "`.");
  absl::StrAppend(&body, Wrapped("    ", summary, 4, kLineWidth), "\n");
  if (!absl::StripAsciiWhitespace(op.def->description()).empty()) {
    body += "\n";
    AppendDescription(op.def->description(), &body);
  }
  if (op.def->has_deprecation()) {
    absl::StrAppend(&body, "\n",
                    Wrapped("    ",
                            absl::StrCat("Deprecated since GraphDef version ",
                                         op.def->deprecation().version(), ": ",
                                         op.def->deprecation().explanation()),
                            4, kLineWidth),
                    "\n");
  }
  absl::StrAppend(&body, "\n    Args:\n");
  for (const OpDef::ArgDef* arg : op.inputs) {
    AppendEntry(ParameterName(arg->name()),
                Joined(TensorText(op, *arg), arg->description()), &body);
  }
  for (const OpDef::AttrDef* attr : op.attrs) {
    AppendEntry(ParameterName(attr->name()),
                Joined(AttrText(*attr), attr->description()), &body);
  }
  AppendEntry("name", "A name for the operation.", &body);
  AppendReturns(op, &body);
  absl::StrAppend(&body, "\n    Registered at ", op.location.file, ":",
                  op.location.line, ".\n");

  // No text of a registration may end the string or escape something in it.
  absl::string_view text = body;
  text.remove_prefix(4);
  const std::string escaped =
      absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"\"\"", "\\\"\\\"\\\""}});
  return absl::StrCat("    \"\"\"", escaped[0] == '"' ? " " : "", escaped,
                      "    \"\"\"\n");
}

}  // namespace op_gen
}  // namespace tensorwright
