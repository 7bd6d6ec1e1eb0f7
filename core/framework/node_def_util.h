// SPDX-License-Identifier: Apache-2.0
// Reading and checking NodeDefs: attrs with types, argument dtypes, defaults.
//
// Free functions without state, safe from any thread on protos that nobody
// changes.  They take NodeDefs and OpDefs by reference and keep nothing but
// AttrSlice, which is a view.  A NodeDef may come from a stranger's file: a
// part that is missing, of another type or out of range gives a Status that
// names the attr and the node, never a crash.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_NODE_DEF_UTIL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_NODE_DEF_UTIL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace google {
namespace protobuf {
template <typename Key, typename T>
class Map;
}  // namespace protobuf
}  // namespace google

namespace tensorwright {

class AttrValue;
class NameAttrList;
class NodeDef;
class OpDef;
class OpDef_ArgDef;
class OpDef_AttrDef;
class Tensor;
class TensorProto;
class TensorShapeProto;

using AttrValueMap = ::google::protobuf::Map<std::string, AttrValue>;

// "{{node NAME}} = Op[attr=value, ...](input, ...)", attrs by name, long values
// shortened; followed by " on DEVICE" if one is requested.  Attrs that start
// with "_" are the runtime's and are left out.
std::string SummarizeNodeDef(const NodeDef& node_def);
// "Op[attr=value, ...](input, ...)".
std::string SummarizeNode(const NodeDef& node_def);

// A view of a node's attrs; the map, or the NodeDef, must outlive it and stay
// as it is: values that Find gives are good until the map changes.  Attrs are
// looked up by name, one after the other; there are rarely more than ten.
class AttrSlice {
 public:
  AttrSlice();                         // No attrs.
  AttrSlice(const NodeDef& node_def);  // NOLINT(google-explicit-constructor)
  explicit AttrSlice(const AttrValueMap* attrs);

  int size() const;
  // nullptr if there is none of that name.
  const AttrValue* Find(absl::string_view attr_name) const;
  // The same with NotFound, and the node's summary if this is a slice of a
  // NodeDef; *attr_value is null then.
  Status Find(absl::string_view attr_name, const AttrValue** attr_value) const;
  const AttrValueMap& attrs() const { return *attrs_; }
  std::string SummarizeNode() const;

  // Equal sets of (name, value), values compared as AreAttrValuesEqual does.
  bool EqualAttrs(const AttrSlice& other) const;

 private:
  const NodeDef* node_def_ = nullptr;
  const AttrValueMap* attrs_;
};

bool HasNodeAttr(const NodeDef& node_def, absl::string_view attr_name);

// Each reads one attr into *value.  NotFound if it is missing, InvalidArgument,
// naming the attr, if it has another type, is a placeholder of a function's
// body, or does not fit the result (an int that is no int32, a shape that is
// not fully known for TensorShape, a broken tensor, a number that is no dtype).
// *value of a single attr is left alone on failure; lists may be filled in
// part.  A list attr that has no value at all is the empty list.
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::string* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   tstring* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   int64_t* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   int32_t* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   float* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   bool* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   DataType* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   TensorShapeProto* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   TensorShape* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   PartialTensorShape* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   Tensor* value);
// The attr's own proto; no copy, so as long-lived as the map.
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   const TensorProto** value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   const NameAttrList** value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   NameAttrList* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<std::string>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<tstring>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<int64_t>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<int32_t>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<float>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<bool>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<DataType>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   DataTypeVector* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<TensorShapeProto>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<TensorShape>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<PartialTensorShape>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<Tensor>* value);
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<NameAttrList>* value);

// Is there such an attr of such a type?  Sets *value if so.  For attrs that may
// be absent.
template <typename T>
bool TryGetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                    T* value) {
  return GetNodeAttr(attrs, attr_name, value).ok();
}

// Returns the attr's own string, which lives as long as the map; empty if it is
// missing or of another type.
const std::string& GetNodeAttrString(const AttrSlice& attrs,
                                     absl::string_view attr_name);

// Appends the dtypes of one argument's tensors, in order, to *types, as
// references if the argument is one.  NotFound or InvalidArgument if the attrs
// that it names are missing or wrong, InvalidArgument for a list longer than
// 2^24 tensors.
Status AddArgToSig(const AttrSlice& attrs, const OpDef_ArgDef& arg_def,
                   DataTypeVector* types);
// Appends the dtypes of all inputs or outputs, lists flattened.  Errors as
// AddArgToSig, after which the vectors may hold some of them.  Does not look at
// the node's `input`.
Status InputTypesForNode(const NodeDef& node_def, const OpDef& op_def,
                         DataTypeVector* inputs);
Status OutputTypesForNode(const AttrSlice& attrs, const OpDef& op_def,
                          DataTypeVector* outputs);
Status InOutTypesForNode(const NodeDef& node_def, const OpDef& op_def,
                         DataTypeVector* inputs, DataTypeVector* outputs);
// The same by the names of later TensorFlow; the last sets the number of output
// tensors.
Status OutputTypesForNode(const NodeDef& node_def, const OpDef& op_def,
                          DataTypeVector* outputs);
Status NumOutputsForNode(const NodeDef& node_def, const OpDef& op_def,
                         int* num_outputs);

// The flat positions of an argument's tensors: [start, stop).  One per
// argument, in the order of the OpDef; an empty list has start == stop.  Either
// side of NameRangesForNode may be null; errors as AddArgToSig.
struct ArgRange {
  std::string name;
  int start;
  int stop;
};
using ArgRanges = absl::InlinedVector<ArgRange, 3>;
Status NameRangesForNode(const AttrSlice& attrs, const OpDef& op_def,
                         ArgRanges* inputs, ArgRanges* outputs);
// nullptr if there is no argument of that name; else it points into `ranges`.
const ArgRange* FindArgRange(const ArgRanges& ranges, absl::string_view name);

// Checks a node against its op: known attrs of the right types and allowed
// values, none missing (so add defaults first), as many inputs as the signature
// says, data inputs before control inputs.  Attrs that start with "_" are not
// checked, nor is the node's name.  Every failure is InvalidArgument that names
// node and op.
Status ValidateNodeDef(const NodeDef& node_def, const OpDef& op_def);

// Checks one value against the attr's definition: type, minimum, allowed
// values.  InvalidArgument whose text goes on from "attr 'x' ": "must be >= 1,
// got 0".
Status ValidateAttrValue(const AttrValue& value, const OpDef_AttrDef& attr_def);

// Gives every attr that is absent and has a default that default; never fails,
// changes no attr that is there.
void AddDefaultsToNodeDef(const OpDef& op_def, NodeDef* node_def);
void AddDefaultAttrs(const OpDef& op_def, AttrValueMap* attrs);

// InvalidArgument unless the text is "node" or "node:3" (the number may be left
// out for 0), or "^node"; *is_control_input says which, in any case.
Status ValidateOpInput(absl::string_view input_name, bool* is_control_input);

// InvalidArgument unless the name has letters, digits and "_./>-\" only, and
// starts with a letter, a digit, ".", ">" or "_" (which marks nodes that the
// runtime makes).
Status ValidateNodeName(absl::string_view name);

// The same error with the node noted for errors::FailedNode and its summary
// appended to the message; OK stays OK.
Status AttachDef(const Status& status, const NodeDef& node_def);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_NODE_DEF_UTIL_H_
