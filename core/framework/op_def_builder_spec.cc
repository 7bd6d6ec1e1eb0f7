// SPDX-License-Identifier: Apache-2.0
// Parses the strings of a REGISTER_OP block.
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/op_def_builder_internal.h"
#include "core/framework/op_def_util.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace op_def_builder_internal {
namespace {

// Reads one spec from left to right.  Every reader skips white space first and
// says whether it found what it looks for.
class SpecScanner {
 public:
  explicit SpecScanner(absl::string_view text) : rest_(text) {}

  bool Consume(absl::string_view token) {
    SkipSpace();
    return absl::ConsumePrefix(&rest_, token);
  }
  // A letter (or "_", of internal names), then letters, digits and "_".
  bool ConsumeName(absl::string_view* name) {
    SkipSpace();
    size_t n = 0;
    while (n < rest_.size() &&
           (absl::ascii_isalpha(rest_[n]) || rest_[n] == '_' ||
            (n > 0 && absl::ascii_isdigit(rest_[n])))) {
      ++n;
    }
    *name = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return n > 0;
  }
  bool ConsumeInt(int64_t* value) {
    SkipSpace();
    size_t n = !rest_.empty() && rest_[0] == '-' ? 1 : 0;
    while (n < rest_.size() && absl::ascii_isdigit(rest_[n])) ++n;
    if (!absl::SimpleAtoi(rest_.substr(0, n), value)) return false;
    rest_.remove_prefix(n);
    return true;
  }
  // A string in single or double quotes, without them; no escapes.
  bool ConsumeQuoted(absl::string_view* text) {
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == absl::string_view::npos) return false;
    *text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  absl::string_view Rest() {
    SkipSpace();
    return absl::StripTrailingAsciiWhitespace(rest_);
  }
  bool AtEnd() { return Rest().empty(); }

 private:
  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  absl::string_view rest_;
};

void AddTypes(const DataTypeVector& types, OpDef::AttrDef* attr) {
  auto* list = attr->mutable_allowed_values()->mutable_list();
  for (DataType type : types) list->add_type(type);
}

// "{float, double}" or "{'NHWC', 'NCHW'}", after the brace.  Sets *type to the
// attr's.
Status ParseAllowedSet(SpecScanner* scan, OpDef::AttrDef* attr,
                       std::string* type) {
  auto* list = attr->mutable_allowed_values()->mutable_list();
  do {
    absl::string_view item;
    const bool quoted = scan->ConsumeQuoted(&item);
    if (!quoted && !scan->ConsumeName(&item)) {
      return errors::InvalidArgument(
          "expected a type or a quoted string in the set at '", scan->Rest(),
          "'");
    }
    const char* const item_type = quoted ? "string" : "type";
    if (!type->empty() && *type != item_type) {
      return errors::InvalidArgument(
          "a set holds types or strings, not both; '", item, "' is a ",
          item_type);
    }
    *type = item_type;
    DataType dtype;
    if (quoted) {
      list->add_s(std::string(item));
    } else if (item == "numbertype" || item == "numerictype") {
      AddTypes(NumberTypes(), attr);
    } else if (item == "realnumbertype" || item == "realnumerictype") {
      AddTypes(RealNumberTypes(), attr);
    } else if (item == "quantizedtype") {
      AddTypes(QuantizedTypes(), attr);
    } else if (DataTypeFromString(item, &dtype)) {
      list->add_type(dtype);
    } else {
      return errors::InvalidArgument("unknown type '", item, "' in the set");
    }
  } while (scan->Consume(",") && !absl::StartsWith(scan->Rest(), "}"));
  if (!scan->Consume("}")) {
    return errors::InvalidArgument("expected ',' or '}' at '", scan->Rest(),
                                   "'");
  }
  return OkStatus();
}

// Parses the text after the colon, without list(...).
Status ParseBaseType(SpecScanner* scan, OpDef::AttrDef* attr,
                     std::string* type) {
  if (scan->Consume("{")) return ParseAllowedSet(scan, attr, type);
  absl::string_view word;
  if (!scan->ConsumeName(&word)) {
    return errors::InvalidArgument("expected a type at '", scan->Rest(), "'");
  }
  if (word == "numbertype" || word == "numerictype") {
    AddTypes(NumberTypes(), attr);
    *type = "type";
  } else if (word == "realnumbertype" || word == "realnumerictype") {
    AddTypes(RealNumberTypes(), attr);
    *type = "type";
  } else if (word == "quantizedtype") {
    AddTypes(QuantizedTypes(), attr);
    *type = "type";
  } else if (word == "string" || word == "int" || word == "float" ||
             word == "bool" || word == "type" || word == "shape" ||
             word == "tensor" || word == "func") {
    *type = std::string(word);
  } else {
    return errors::InvalidArgument("unknown attr type '", word, "'");
  }
  return OkStatus();
}

std::string* DescriptionOf(absl::string_view name, OpDef* op_def) {
  for (auto& arg : *op_def->mutable_input_arg()) {
    if (arg.name() == name) return arg.mutable_description();
  }
  for (auto& arg : *op_def->mutable_output_arg()) {
    if (arg.name() == name) return arg.mutable_description();
  }
  for (auto& attr : *op_def->mutable_attr()) {
    if (attr.name() == name) return attr.mutable_description();
  }
  return nullptr;
}

}  // namespace

Status ParseAttrSpec(absl::string_view spec, OpDef* op_def) {
  SpecScanner scan(spec);
  absl::string_view name;
  if (!scan.ConsumeName(&name)) {
    return errors::InvalidArgument("expected a name");
  }
  if (!scan.Consume(":")) {
    return errors::InvalidArgument("expected ':' after the name");
  }
  OpDef::AttrDef* attr = op_def->add_attr();
  attr->set_name(std::string(name));

  std::string type;
  bool is_list = false;
  if (absl::StartsWith(scan.Rest(), "list") && scan.Consume("list")) {
    is_list = true;
    if (!scan.Consume("(")) {
      return errors::InvalidArgument("expected '(' after list");
    }
    TF_RETURN_IF_ERROR(ParseBaseType(&scan, attr, &type));
    if (!scan.Consume(")")) {
      return errors::InvalidArgument("expected ')' at '", scan.Rest(), "'");
    }
    type = absl::StrCat("list(", type, ")");
  } else {
    TF_RETURN_IF_ERROR(ParseBaseType(&scan, attr, &type));
  }
  attr->set_type(type);

  if (scan.Consume(">=")) {
    int64_t minimum;
    if (!is_list && type != "int") {
      return errors::InvalidArgument("only int and lists have a minimum, not ",
                                     type);
    }
    if (!scan.ConsumeInt(&minimum)) {
      return errors::InvalidArgument("expected an integer after '>=', got '",
                                     scan.Rest(), "'");
    }
    attr->set_has_minimum(true);
    attr->set_minimum(minimum);
  }
  if (scan.Consume("=")) {
    if (!ParseAttrValue(type, scan.Rest(), attr->mutable_default_value())) {
      return errors::InvalidArgument("default '", scan.Rest(), "' is no ",
                                     type);
    }
  } else if (!scan.AtEnd()) {
    return errors::InvalidArgument("unexpected '", scan.Rest(), "'");
  }
  return OkStatus();
}

Status ParseArgSpec(absl::string_view spec, const OpDef& op_def,
                    OpDef::ArgDef* arg) {
  SpecScanner scan(spec);
  absl::string_view name, word;
  if (!scan.ConsumeName(&name)) {
    return errors::InvalidArgument("expected a name");
  }
  arg->set_name(std::string(name));
  if (!scan.Consume(":")) {
    return errors::InvalidArgument("expected ':' after the name");
  }
  bool is_ref = false;
  if (absl::StartsWith(scan.Rest(), "Ref(")) {
    scan.Consume("Ref(");
    is_ref = true;
  }
  if (!scan.ConsumeName(&word)) {
    return errors::InvalidArgument("expected a type or an attr's name at '",
                                   scan.Rest(), "'");
  }
  if (scan.Consume("*")) {
    arg->set_number_attr(std::string(word));
    if (!scan.ConsumeName(&word)) {
      return errors::InvalidArgument("expected a type after '*'");
    }
  }
  if (is_ref && !scan.Consume(")")) {
    return errors::InvalidArgument("expected ')' after Ref(", word);
  }
  if (!scan.AtEnd()) {
    return errors::InvalidArgument("unexpected '", scan.Rest(), "'");
  }
  arg->set_is_ref(is_ref);

  DataType dtype;
  if (const OpDef::AttrDef* attr = FindAttr(word, op_def)) {
    if (attr->type() == "type") {
      arg->set_type_attr(std::string(word));
    } else if (attr->type() == "list(type)") {
      arg->set_type_list_attr(std::string(word));
    } else {
      return errors::InvalidArgument(
          "attr '", word, "' is of type ", attr->type(),
          "; an argument needs a type or list(type)");
    }
  } else if (DataTypeFromString(word, &dtype)) {
    arg->set_type(dtype);
  } else {
    return errors::InvalidArgument(
        "'", word, "' is neither a dtype nor an attr of the op");
  }
  return OkStatus();
}

void ParseDoc(absl::string_view doc, OpDef* op_def) {
  doc = absl::StripAsciiWhitespace(doc);
  const size_t end = doc.find('\n');
  op_def->set_summary(std::string(doc.substr(0, end)));
  if (end == absl::string_view::npos) return;

  std::string* current = op_def->mutable_description();
  for (absl::string_view line : absl::StrSplit(doc.substr(end + 1), '\n')) {
    SpecScanner scan(line);
    absl::string_view name;
    const bool flush_left = !line.empty() && !absl::ascii_isspace(line[0]);
    if (flush_left && scan.ConsumeName(&name) && scan.Consume(":")) {
      if (std::string* description = DescriptionOf(name, op_def)) {
        current = description;
        line = scan.Rest();
      }
    }
    absl::StrAppend(current, line, "\n");
  }
  auto strip = [](std::string* s) { absl::StripAsciiWhitespace(s); };
  strip(op_def->mutable_description());
  for (auto& a : *op_def->mutable_input_arg()) strip(a.mutable_description());
  for (auto& a : *op_def->mutable_output_arg()) strip(a.mutable_description());
  for (auto& a : *op_def->mutable_attr()) strip(a.mutable_description());
}

}  // namespace op_def_builder_internal
}  // namespace tensorwright
