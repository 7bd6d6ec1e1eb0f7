// SPDX-License-Identifier: Apache-2.0
// Finds the known value of an integer tensor before anything runs: arithmetic.
#include <algorithm>
#include <limits>
#include <string>

#include "core/framework/attr_value.pb.h"
#include "core/framework/types.h"
#include "core/graph/constant_value.h"

namespace tensorwright {
namespace {

using Element = PartialValue::Element;

bool Fits(DataType dtype, int64_t v) {
  return dtype == DT_INT64 || (v >= std::numeric_limits<int32_t>::min() &&
                               v <= std::numeric_limits<int32_t>::max());
}

int64_t FloorDiv(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

// One element of a binary op.  False if the op is none of ours, overflows or
// divides by zero.
bool Apply(const std::string& op, int64_t a, int64_t b, int64_t* r) {
  if (op == "Add" || op == "AddV2") return !__builtin_add_overflow(a, b, r);
  if (op == "Sub") return !__builtin_sub_overflow(a, b, r);
  if (op == "Mul") return !__builtin_mul_overflow(a, b, r);
  if (op == "Maximum") return *r = std::max(a, b), true;
  if (op == "Minimum") return *r = std::min(a, b), true;
  // The remaining ops divide; b == -1 could overflow and is not a size anyway.
  if (b == 0 || b == -1) return false;
  if (op == "FloorDiv") return *r = FloorDiv(a, b), true;
  if (op == "FloorMod") return *r = a - FloorDiv(a, b) * b, true;
  if (op == "Div" || op == "TruncateDiv") return *r = a / b, true;
  if (op == "Mod" || op == "TruncateMod") return *r = a % b, true;
  return false;
}

bool IsBinary(const std::string& op) {
  static constexpr const char* kOps[] = {
      "Add",      "AddV2",    "Sub", "Mul", "Maximum",     "Minimum",
      "FloorDiv", "FloorMod", "Div", "Mod", "TruncateDiv", "TruncateMod"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

}  // namespace

bool ConstantEvaluator::FromBinary(const Node& node, PartialValue* value) {
  const std::string& op = node.type_string();
  if (node.num_inputs() != 2 || !IsBinary(op)) return false;
  PartialValue a;
  PartialValue b;
  if (!Input(node, 0, &a) || !Input(node, 1, &b)) return false;
  // Equal shapes, or one scalar.
  const bool a_scalar = a.shape.dims() == 0;
  const bool b_scalar = b.shape.dims() == 0;
  if (!a_scalar && !b_scalar && a.shape != b.shape) return false;
  value->dtype = node.output_type(0);
  value->shape = a_scalar ? b.shape : a.shape;
  value->elements.clear();
  const size_t n = a_scalar ? b.elements.size() : a.elements.size();
  for (size_t i = 0; i < n; ++i) {
    const Element& x = a.elements[a_scalar ? 0 : i];
    const Element& y = b.elements[b_scalar ? 0 : i];
    Element r;
    r.known = x.known && y.known;
    if (op == "Mul" &&
        ((x.known && x.value == 0) || (y.known && y.value == 0))) {
      r = {0, true};
    } else if (r.known && (!Apply(op, x.value, y.value, &r.value) ||
                           !Fits(value->dtype, r.value))) {
      return false;
    }
    value->elements.push_back(r);
  }
  return true;
}

bool ConstantEvaluator::FromNegative(const Node& node, PartialValue* value) {
  if (!Input(node, 0, value)) return false;
  for (Element& e : value->elements) {
    if (e.value == std::numeric_limits<int64_t>::min()) return false;
    e.value = -e.value;
    if (e.known && !Fits(value->dtype, e.value)) return false;
  }
  return true;
}

bool ConstantEvaluator::FromCast(const Node& node, PartialValue* value) {
  if (!Input(node, 0, value)) return false;
  value->dtype = node.output_type(0);
  return std::all_of(value->elements.begin(), value->elements.end(),
                     [&](const Element& e) {
                       return !e.known || Fits(value->dtype, e.value);
                     });
}

bool ConstantEvaluator::FromReduction(const Node& node, bool product,
                                      PartialValue* value) {
  PartialValue x;
  PartialValue axes;
  const AttrValue* keep = node.FindAttr("keep_dims");
  if (!Input(node, 0, &x) || x.shape.dims() != 1 || !Input(node, 1, &axes) ||
      axes.elements.size() != 1 || (keep != nullptr && keep->b())) {
    return false;
  }
  Element r{product ? 1 : 0, true};
  for (const Element& e : x.elements) {
    r.known = r.known && e.known;
    const bool overflow =
        product ? __builtin_mul_overflow(r.value, e.value, &r.value)
                : __builtin_add_overflow(r.value, e.value, &r.value);
    if (overflow) return false;
  }
  if (r.known && !Fits(x.dtype, r.value)) return false;
  value->dtype = x.dtype;
  value->shape = TensorShape();
  value->elements.assign(1, r);
  return true;
}

bool ConstantEvaluator::FromRange(const Node& node, PartialValue* value) {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t delta = 0;
  if (!ScalarInput(node, 0, &start) || !ScalarInput(node, 1, &limit) ||
      !ScalarInput(node, 2, &delta) || delta == 0) {
    return false;
  }
  value->dtype = node.output_type(0);
  value->elements.clear();
  for (int64_t v = start; delta > 0 ? v < limit : v > limit;) {
    if (static_cast<int64_t>(value->elements.size()) == kMaxElements) {
      return false;
    }
    value->elements.push_back({v, true});
    if (__builtin_add_overflow(v, delta, &v)) break;
  }
  value->shape = TensorShape({static_cast<int64_t>(value->elements.size())});
  return true;
}

}  // namespace tensorwright
