// SPDX-License-Identifier: Apache-2.0
// Finds the known value of an integer tensor before anything runs: the driver
// and the ops that move elements.  Arithmetic is in constant_value_math.cc.
#include "core/graph/constant_value.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/framework/attr_value.pb.h"
#include "core/framework/types.h"

namespace tensorwright {
namespace {

bool IsInt(DataType t) { return t == DT_INT32 || t == DT_INT64; }

int64_t IntAttr(const Node& node, absl::string_view name, int64_t absent) {
  const AttrValue* a = node.FindAttr(name);
  return a == nullptr ? absent : a->i();
}

void SetScalar(DataType dtype, int64_t v, bool known, PartialValue* value) {
  value->dtype = dtype;
  value->shape = TensorShape();
  value->elements.assign(1, {v, known});
}

}  // namespace

bool PartialValue::IsFullyKnown() const {
  return std::all_of(elements.begin(), elements.end(),
                     [](const Element& e) { return e.known; });
}

Tensor PartialValue::ToTensor() const {
  Tensor t(dtype, shape);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (dtype == DT_INT32) {
      t.base<int32_t>()[i] = static_cast<int32_t>(elements[i].value);
    } else {
      t.base<int64_t>()[i] = elements[i].value;
    }
  }
  return t;
}

bool PartialValue::ToShape(PartialTensorShape* out) const {
  if (shape.dims() == 0) {
    *out = PartialTensorShape();
    return elements[0].known && elements[0].value == -1;
  }
  if (shape.dims() != 1) return false;
  absl::InlinedVector<int64_t, 8> sizes;
  for (const Element& e : elements) {
    if (e.known && e.value < -1) return false;
    sizes.push_back(e.known ? e.value : -1);
  }
  return PartialTensorShape::BuildPartialTensorShape(sizes, out).ok();
}

bool ConstantEvaluator::Evaluate(const Node& node, int output,
                                 PartialValue* value) {
  if (!IsInt(BaseType(node.output_type(output)))) return false;
  auto it = memo_.find({&node, output});
  if (it != memo_.end()) {
    *value = it->second.first;
    return it->second.second;
  }
  if (depth_ == kMaxDepth) return false;
  ++depth_;
  const bool ok = Compute(node, output, value);
  --depth_;
  memo_[{&node, output}] = {ok ? *value : PartialValue(), ok};
  return ok;
}

bool ConstantEvaluator::EvaluateTensor(const Node& node, int output,
                                       Tensor* value) {
  const Node* source = &node;
  int steps = 0;
  while (source->IsIdentity() && source->input_node(0) != nullptr &&
         !IsRefType(source->output_type(0)) && ++steps < kMaxDepth) {
    output = source->input_edge(0)->src_output();
    source = source->input_node(0);
  }
  if (source->IsConstant()) {
    const Tensor* t = consts_(*source);
    if (t == nullptr) return false;
    *value = *t;
    return true;
  }
  PartialValue partial;
  if (!Evaluate(*source, output, &partial) || !partial.IsFullyKnown()) {
    return false;
  }
  *value = partial.ToTensor();
  return true;
}

bool ConstantEvaluator::Compute(const Node& node, int output,
                                PartialValue* value) {
  const std::string& op = node.type_string();
  if (op == "Const") return FromConst(node, value);
  if (op == "Shape" || op == "ShapeN") return FromShape(node, output, value);
  if (op == "Size") return FromSize(node, value);
  if (op == "Rank") return FromRank(node, value);
  if (op == "Identity" || op == "StopGradient" || op == "PreventGradient") {
    return Input(node, 0, value);
  }
  if (op == "Cast") return FromCast(node, value);
  if (op == "Pack") {
    return IntAttr(node, "axis", 0) == 0 &&
           FromJoin(node, 0, node.num_inputs(), /*is_pack=*/true, value);
  }
  if (op == "ConcatV2") {
    return FromJoin(node, 0, node.num_inputs() - 1, /*is_pack=*/false, value);
  }
  if (op == "Concat") {
    return FromJoin(node, 1, node.num_inputs(), /*is_pack=*/false, value);
  }
  if (op == "StridedSlice") return FromStridedSlice(node, value);
  if (op == "Slice") return FromSlice(node, value);
  if (op == "Gather" || op == "GatherV2") return FromGather(node, value);
  if (op == "Range") return FromRange(node, value);
  if (op == "Reshape") return FromReshape(node, value);
  if (op == "ExpandDims") return FromExpandDims(node, value);
  if (op == "Squeeze") return FromSqueeze(node, value);
  if (op == "Unpack") return FromUnpack(node, output, value);
  if (op == "Fill") return FromFill(node, value);
  if (op == "Prod") return FromReduction(node, /*product=*/true, value);
  if (op == "Sum") return FromReduction(node, /*product=*/false, value);
  if (op == "Neg") return FromNegative(node, value);
  return FromBinary(node, value);
}

bool ConstantEvaluator::Input(const Node& node, int i, PartialValue* value) {
  const Edge* e = node.input_edge(i);
  return e != nullptr && Evaluate(*e->src(), e->src_output(), value);
}

bool ConstantEvaluator::ScalarInput(const Node& node, int i, int64_t* value) {
  PartialValue v;
  if (!Input(node, i, &v) || v.elements.size() != 1 || !v.elements[0].known) {
    return false;
  }
  *value = v.elements[0].value;
  return true;
}

bool ConstantEvaluator::FromConst(const Node& node, PartialValue* value) {
  const Tensor* t = consts_(node);
  if (t == nullptr || !IsInt(t->dtype()) || t->NumElements() > kMaxElements) {
    return false;
  }
  value->dtype = t->dtype();
  value->shape = t->shape();
  value->elements.clear();
  for (int64_t i = 0; i < t->NumElements(); ++i) {
    value->elements.push_back(
        {t->dtype() == DT_INT32 ? t->base<int32_t>()[i] : t->base<int64_t>()[i],
         true});
  }
  return true;
}

bool ConstantEvaluator::FromShape(const Node& node, int output,
                                  PartialValue* value) {
  const Edge* e = node.input_edge(output);  // Shape has one output, ShapeN one
  if (e == nullptr) return false;           // per input.
  const PartialTensorShape shape = shapes_(*e->src(), e->src_output());
  if (shape.unknown_rank()) return false;
  value->dtype = node.output_type(output);
  value->shape = TensorShape({shape.dims()});
  value->elements.clear();
  for (int d = 0; d < shape.dims(); ++d) {
    value->elements.push_back({shape.dim_size(d), shape.dim_size(d) >= 0});
  }
  return true;
}

bool ConstantEvaluator::FromSize(const Node& node, PartialValue* value) {
  const Edge* e = node.input_edge(0);
  if (e == nullptr) return false;
  const int64_t n = shapes_(*e->src(), e->src_output()).num_elements();
  if (n < 0 || (node.output_type(0) == DT_INT32 &&
                n > std::numeric_limits<int32_t>::max())) {
    return false;
  }
  SetScalar(node.output_type(0), n, true, value);
  return true;
}

bool ConstantEvaluator::FromRank(const Node& node, PartialValue* value) {
  const Edge* e = node.input_edge(0);
  if (e == nullptr) return false;
  const PartialTensorShape shape = shapes_(*e->src(), e->src_output());
  if (shape.unknown_rank()) return false;
  SetScalar(DT_INT32, shape.dims(), true, value);
  return true;
}

bool ConstantEvaluator::FromJoin(const Node& node, int first, int last,
                                 bool is_pack, PartialValue* value) {
  // Scalars joined to a vector, or vectors joined end to end: graphs build
  // shapes like that.
  PartialValue joined;
  joined.dtype = node.output_type(0);
  for (int i = first; i < last; ++i) {
    PartialValue part;
    if (!Input(node, i, &part)) {
      // An unknown scalar is still one element.
      const Edge* e = node.input_edge(i);
      if (!is_pack || e == nullptr) return false;
      const PartialTensorShape s = shapes_(*e->src(), e->src_output());
      if (s.dims() != 0) return false;
      SetScalar(joined.dtype, 0, false, &part);
    }
    if (part.shape.dims() != (is_pack ? 0 : 1)) return false;
    joined.elements.insert(joined.elements.end(), part.elements.begin(),
                           part.elements.end());
    if (static_cast<int64_t>(joined.elements.size()) > kMaxElements) {
      return false;
    }
  }
  joined.shape = TensorShape({static_cast<int64_t>(joined.elements.size())});
  *value = std::move(joined);
  return true;
}

bool ConstantEvaluator::FromStridedSlice(const Node& node,
                                         PartialValue* value) {
  PartialValue x;
  if (!Input(node, 0, &x) || x.shape.dims() != 1) return false;
  if (IntAttr(node, "ellipsis_mask", 0) != 0 ||
      IntAttr(node, "new_axis_mask", 0) != 0) {
    return false;
  }
  const bool has_begin = (IntAttr(node, "begin_mask", 0) & 1) == 0;
  const bool has_end = (IntAttr(node, "end_mask", 0) & 1) == 0;
  const bool shrink = (IntAttr(node, "shrink_axis_mask", 0) & 1) != 0;
  const int64_t n = static_cast<int64_t>(x.elements.size());
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 0;
  if (!ScalarInput(node, 3, &stride) || stride == 0) return false;
  if ((has_begin || shrink) && !ScalarInput(node, 1, &begin)) return false;
  if (shrink) {
    if (begin < -n || begin >= n) return false;
    const PartialValue::Element e = x.elements[begin < 0 ? begin + n : begin];
    SetScalar(x.dtype, e.value, e.known, value);
    return true;
  }
  if (has_end && !ScalarInput(node, 2, &end)) return false;
  // Python's slices clamp to these: to [0, n] forwards, to [-1, n - 1]
  // backwards.
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? n : n - 1;
  const auto clamp = [&](int64_t p) {
    return std::clamp(p < 0 ? std::max(p, -n - 1) + n : p, low, high);
  };
  begin = has_begin ? clamp(begin) : (stride > 0 ? low : high);
  end = has_end ? clamp(end) : (stride > 0 ? high : low);
  value->elements.clear();
  if (stride > n || stride < -n) stride = stride > 0 ? n + 1 : -n - 1;
  for (int64_t i = begin; stride > 0 ? i < end : i > end; i += stride) {
    value->elements.push_back(x.elements[i]);
  }
  value->dtype = x.dtype;
  value->shape = TensorShape({static_cast<int64_t>(value->elements.size())});
  return true;
}

bool ConstantEvaluator::FromSlice(const Node& node, PartialValue* value) {
  PartialValue x;
  int64_t begin = 0;
  int64_t size = 0;
  if (!Input(node, 0, &x) || x.shape.dims() != 1 ||
      !ScalarInput(node, 1, &begin) || !ScalarInput(node, 2, &size)) {
    return false;
  }
  const int64_t n = static_cast<int64_t>(x.elements.size());
  if (begin < 0 || begin > n) return false;
  if (size == -1) size = n - begin;
  if (size < 0 || size > n - begin) return false;
  value->dtype = x.dtype;
  value->shape = TensorShape({size});
  value->elements.assign(x.elements.begin() + begin,
                         x.elements.begin() + begin + size);
  return true;
}

bool ConstantEvaluator::FromGather(const Node& node, PartialValue* value) {
  PartialValue params;
  PartialValue indices;
  if (!Input(node, 0, &params) || params.shape.dims() != 1 ||
      !Input(node, 1, &indices)) {
    return false;
  }
  value->dtype = params.dtype;
  value->shape = indices.shape;
  value->elements.clear();
  const int64_t n = static_cast<int64_t>(params.elements.size());
  for (const PartialValue::Element& i : indices.elements) {
    if (i.known && (i.value < 0 || i.value >= n)) return false;
    value->elements.push_back(i.known ? params.elements[i.value]
                                      : PartialValue::Element());
  }
  return true;
}

bool ConstantEvaluator::FromReshape(const Node& node, PartialValue* value) {
  PartialValue target;
  PartialTensorShape shape;
  if (!Input(node, 0, value) || !Input(node, 1, &target) ||
      !target.IsFullyKnown() || target.shape.dims() != 1) {
    return false;
  }
  const int64_t n = static_cast<int64_t>(value->elements.size());
  int64_t product = 1;
  int wildcard = -1;
  absl::InlinedVector<int64_t, 8> sizes;
  for (const PartialValue::Element& e : target.elements) {
    if (e.value == -1) {
      if (wildcard >= 0) return false;
      wildcard = static_cast<int>(sizes.size());
    } else if (e.value < 0 || e.value > kMaxElements ||
               (product *= e.value) > kMaxElements) {
      return false;
    }
    sizes.push_back(e.value);
  }
  if (wildcard >= 0) {
    if (product == 0 || n % product != 0) return false;
    sizes[wildcard] = n / product;
    product = n;
  }
  return product == n &&
         TensorShape::BuildTensorShape(sizes, &value->shape).ok();
}

bool ConstantEvaluator::FromExpandDims(const Node& node, PartialValue* value) {
  int64_t axis = 0;
  if (!Input(node, 0, value) || !ScalarInput(node, 1, &axis)) return false;
  const int rank = value->shape.dims();
  if (axis < 0) axis += rank + 1;
  if (axis < 0 || axis > rank) return false;
  value->shape.InsertDim(static_cast<int>(axis), 1);
  return true;
}

bool ConstantEvaluator::FromSqueeze(const Node& node, PartialValue* value) {
  const AttrValue* dims = node.FindAttr("squeeze_dims");
  if (!Input(node, 0, value)) return false;
  const bool one_dim = value->shape.dims() == 1 && value->elements.size() == 1;
  if (!one_dim || (dims != nullptr && dims->list().i_size() > 1)) return false;
  value->shape = TensorShape();
  return true;
}

bool ConstantEvaluator::FromUnpack(const Node& node, int output,
                                   PartialValue* value) {
  PartialValue x;
  if (!Input(node, 0, &x) || x.shape.dims() != 1 ||
      output >= static_cast<int>(x.elements.size())) {
    return false;
  }
  SetScalar(x.dtype, x.elements[output].value, x.elements[output].known, value);
  return true;
}

bool ConstantEvaluator::FromFill(const Node& node, PartialValue* value) {
  PartialValue dims;
  PartialValue fill;
  PartialTensorShape partial;
  TensorShape shape;
  if (!Input(node, 0, &dims) || !Input(node, 1, &fill) ||
      fill.elements.size() != 1 || !dims.ToShape(&partial) ||
      !partial.AsTensorShape(&shape) || shape.num_elements() > kMaxElements) {
    return false;
  }
  value->dtype = fill.dtype;
  value->shape = shape;
  value->elements.assign(shape.num_elements(), fill.elements[0]);
  return true;
}

}  // namespace tensorwright
