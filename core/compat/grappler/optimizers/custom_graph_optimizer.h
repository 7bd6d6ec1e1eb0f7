// SPDX-License-Identifier: Apache-2.0
// CustomGraphOptimizer: a GraphOptimizer that a library brings along, and that
// a ConfigProto asks for by name.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_CUSTOM_GRAPH_OPTIMIZER_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_CUSTOM_GRAPH_OPTIMIZER_H_

#include "core/compat/grappler/optimizers/graph_optimizer.h"
#include "core/lib/core/status.h"
#include "core/protobuf/config.pb.h"
#include "core/protobuf/rewriter_config.pb.h"

namespace tensorwright {
namespace grappler {

class CustomGraphOptimizer : public GraphOptimizer {
 public:
  ~CustomGraphOptimizer() override {}
  // Called once, before Optimize.  `config` is the entry of custom_optimizers,
  // with its parameter_map; null if `optimizers` names the optimizer.
  virtual Status Init(
      const RewriterConfig_CustomGraphOptimizer* config = nullptr) = 0;
  Status InitWithConfig(
      const ConfigProto& config_proto,
      const RewriterConfig_CustomGraphOptimizer* config = nullptr) {
    config_proto_ = config_proto;
    return Init(config);
  }

  // The session's, set before Init is called.
  ConfigProto config_proto_;
};

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_CUSTOM_GRAPH_OPTIMIZER_H_
