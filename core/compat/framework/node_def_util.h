// SPDX-License-Identifier: Apache-2.0
// Writes attrs of NodeDefs; core/framework/node_def_util.h reads them.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NODE_DEF_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NODE_DEF_UTIL_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_def_util.h"

namespace tensorwright {

// Sets an attr, of whatever type SetAttrValue takes, unless there is one of
// that name.
template <typename T>
void AddAttr(absl::string_view name, const T& value, AttrValueMap* attrs) {
  AttrValue attr;
  SetAttrValue(value, &attr);
  attrs->insert({std::string(name), std::move(attr)});
}
template <typename T>
void AddNodeAttr(absl::string_view name, const T& value, NodeDef* node_def) {
  AddAttr(name, value, node_def->mutable_attr());
}
template <typename T>
void AddNodeAttr(absl::string_view name, std::initializer_list<T> value,
                 NodeDef* node_def) {
  AddAttr(name, std::vector<T>(value), node_def->mutable_attr());
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NODE_DEF_UTIL_H_
