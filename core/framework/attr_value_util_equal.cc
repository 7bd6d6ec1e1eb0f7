// SPDX-License-Identifier: Apache-2.0
// Comparing AttrValue protos as values, and hashing them.
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/attr_value_util_internal.h"
#include "core/framework/tensor.pb.h"

namespace tensorwright {
namespace {

using attr_value_util_internal::SortedKeys;

// Same shape and elements, whichever field of the proto they are in.
bool AreTensorProtosEqual(const TensorProto& a, const TensorProto& b) {
  if (a.dtype() != b.dtype()) return false;
  Tensor ta, tb;
  if (!ta.FromProto(a) || !tb.FromProto(b)) {
    return a.SerializeAsString() == b.SerializeAsString();
  }
  if (!ta.IsSameSize(tb)) return false;
  TensorProto pa, pb;
  // Bytes decide, so that NaN equals itself and 0 differs from -0.
  if (DataTypeCanUseMemcpy(ta.dtype()))
    return ta.tensor_data() == tb.tensor_data();
  ta.AsProtoField(&pa);
  tb.AsProtoField(&pb);
  return pa.SerializeAsString() == pb.SerializeAsString();
}

bool AreFuncsEqual(const NameAttrList& a, const NameAttrList& b) {
  if (a.name() != b.name() || a.attr_size() != b.attr_size()) return false;
  for (const auto& [key, value] : a.attr()) {
    auto it = b.attr().find(key);
    if (it == b.attr().end() || !AreAttrValuesEqual(value, it->second)) {
      return false;
    }
  }
  return true;
}

uint64_t HashBytes(absl::string_view bytes, uint64_t seed) {
  // FNV-1a: stable from run to run, which absl::Hash is not.
  uint64_t h = seed ^ 0xcbf29ce484222325u;
  for (unsigned char c : bytes) h = (h ^ c) * 0x100000001b3u;
  return h;
}

uint64_t TensorHash(const TensorProto& proto, uint64_t seed) {
  Tensor t;
  if (!t.FromProto(proto)) return HashBytes(proto.SerializeAsString(), seed);
  const uint64_t h = HashBytes(t.shape().DebugString(), seed + proto.dtype());
  return DataTypeCanUseMemcpy(t.dtype()) ? HashBytes(t.tensor_data(), h) : h;
}

uint64_t FuncHash(const NameAttrList& func, uint64_t seed) {
  uint64_t h = HashBytes(func.name(), seed);
  for (const std::string& key : SortedKeys(func.attr())) {
    h = HashBytes(key, h) ^ AttrValueHash(func.attr().at(key));
  }
  return h;
}

}  // namespace

bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b) {
  if (a.value_case() != b.value_case()) return false;
  if (a.has_tensor()) return AreTensorProtosEqual(a.tensor(), b.tensor());
  if (a.has_func()) return AreFuncsEqual(a.func(), b.func());
  if (a.has_list()) {
    const auto& la = a.list();
    const auto& lb = b.list();
    if (la.func_size() != lb.func_size() ||
        la.tensor_size() != lb.tensor_size()) {
      return false;
    }
    for (int i = 0; i < la.func_size(); ++i) {
      if (!AreFuncsEqual(la.func(i), lb.func(i))) return false;
    }
    for (int i = 0; i < la.tensor_size(); ++i) {
      if (!AreTensorProtosEqual(la.tensor(i), lb.tensor(i))) return false;
    }
    if (la.func_size() > 0 || la.tensor_size() > 0) return true;
  }
  // The rest holds no map, so equal values have equal bytes.
  return a.SerializeAsString() == b.SerializeAsString();
}

uint64_t AttrValueHash(const AttrValue& value) {
  const uint64_t seed = value.value_case();
  if (value.has_tensor()) return TensorHash(value.tensor(), seed);
  if (value.has_func()) return FuncHash(value.func(), seed);
  if (value.has_list() &&
      (value.list().func_size() > 0 || value.list().tensor_size() > 0)) {
    uint64_t h = seed;
    for (const auto& t : value.list().tensor()) h = TensorHash(t, h);
    for (const auto& f : value.list().func()) h = FuncHash(f, h);
    return h;
  }
  return HashBytes(value.SerializeAsString(), seed);
}

}  // namespace tensorwright
