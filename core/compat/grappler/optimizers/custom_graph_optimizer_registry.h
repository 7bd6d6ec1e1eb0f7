// SPDX-License-Identifier: Apache-2.0
// The registry by which libraries written for TensorFlow register graph
// optimizers.  A run calls those that its session's config names:
//
//   config.graph_options.rewrite_options.custom_optimizers.add().name = "Name"
//
// core/common_runtime/outside_optimizers.h says when, and what becomes of
// errors.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_CUSTOM_GRAPH_OPTIMIZER_REGISTRY_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_CUSTOM_GRAPH_OPTIMIZER_REGISTRY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/compat/grappler/optimizers/custom_graph_optimizer.h"

namespace tensorwright {
namespace grappler {

class CustomGraphOptimizerRegistry {
 public:
  typedef std::function<CustomGraphOptimizer*()> Creator;

  // Null if no library registers that name.
  static std::unique_ptr<CustomGraphOptimizer> CreateByNameOrNull(
      const std::string& name);
  static std::vector<std::string> GetRegisteredOptimizers();
  // Called while a library is loaded.  The name is TensorFlow's; here a name
  // that is taken gets a warning, and the later registration counts.
  static void RegisterOptimizerOrDie(const Creator& optimizer_creator,
                                     const std::string& name);
};

class CustomGraphOptimizerRegistrar {
 public:
  explicit CustomGraphOptimizerRegistrar(
      const CustomGraphOptimizerRegistry::Creator& creator,
      const std::string& name) {
    CustomGraphOptimizerRegistry::RegisterOptimizerOrDie(creator, name);
  }
};

#define REGISTER_GRAPH_OPTIMIZER_AS(MyCustomGraphOptimizerClass, name) \
  namespace {                                                          \
  static ::tensorwright::grappler::CustomGraphOptimizerRegistrar       \
      MyCustomGraphOptimizerClass##_registrar(                         \
          []() { return new MyCustomGraphOptimizerClass; }, (name));   \
  }  // namespace
#define REGISTER_GRAPH_OPTIMIZER(MyCustomGraphOptimizerClass) \
  REGISTER_GRAPH_OPTIMIZER_AS(MyCustomGraphOptimizerClass,    \
                              #MyCustomGraphOptimizerClass)

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_CUSTOM_GRAPH_OPTIMIZER_REGISTRY_H_
