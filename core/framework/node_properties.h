// SPDX-License-Identifier: Apache-2.0
// The description that a graph node and its kernel share; it never changes, so
// that a kernel needs no copy of the NodeDef.
//
// Held by shared_ptr<const ...>; any thread may read.  A node whose attrs or
// device change gets new properties; holders of the old ones keep those.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_NODE_PROPERTIES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_NODE_PROPERTIES_H_

#include <memory>
#include <utility>

#include "core/framework/node_def.pb.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class OpRegistryInterface;

struct NodeProperties {
  // Checks nothing: the types must be those that attrs and op give. `op_def` is
  // borrowed.
  NodeProperties(const OpDef* op_def, NodeDef node_def, DataTypeVector inputs,
                 DataTypeVector outputs)
      : op_def(op_def),
        node_def(std::move(node_def)),
        input_types(std::move(inputs)),
        output_types(std::move(outputs)) {}

  // Looks the op up and works the types out.  NotFound for an unknown op or a
  // missing attr that gives types, InvalidArgument for a wrong one; nothing
  // else is checked (ValidateNodeDef), and no defaults are added. *props is
  // left alone on failure.
  static Status CreateFromNodeDef(NodeDef node_def,
                                  const OpRegistryInterface* op_registry,
                                  std::shared_ptr<const NodeProperties>* props);

  const OpDef* op_def;  // Owned by the op registry.
  NodeDef node_def;
  // One per data input (output), lists flattened, with reference dtypes.
  DataTypeVector input_types;
  DataTypeVector output_types;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_NODE_PROPERTIES_H_
