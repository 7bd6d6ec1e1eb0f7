// SPDX-License-Identifier: Apache-2.0
// The registry, and the bridge from the session's outside optimizers to it.
#include "core/compat/grappler/optimizers/custom_graph_optimizer_registry.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "core/common_runtime/outside_optimizers.h"
#include "core/compat/grappler/clusters/cluster.h"
#include "core/compat/grappler/grappler_item.h"
#include "core/platform/cpu_info.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace grappler {
namespace {

using Creator = CustomGraphOptimizerRegistry::Creator;

struct Registry {
  absl::Mutex mu;
  std::map<std::string, Creator> creators ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* registry = new Registry;
  return registry;
}

// The devices of a session.  It describes them and runs nothing.
class SessionCluster final : public Cluster {
 public:
  explicit SessionCluster(const DeviceSet* devices)
      : Cluster(/*timeout_s=*/0), set_(devices) {
    for (const DeviceInfo* info : devices->devices()) {
      DeviceProperties properties;
      properties.set_type(info->type());
      properties.set_memory_size(info->attributes().memory_limit());
      if (info->type() == "CPU") {
        properties.set_num_cores(port::NumSchedulableCPUs());
      }
      devices_[info->name()] = std::move(properties);
    }
  }

  std::string type() const override { return "session"; }
  Status Provision() override { return OkStatus(); }
  const DeviceSet* GetDeviceSet() const override { return set_; }
  Status Initialize(const GrapplerItem& /*item*/) override {
    return errors::Unimplemented("Cluster: that of a run prepares no graphs");
  }
  Status Run(const GraphDef& /*graph_def*/,
             const std::vector<std::pair<std::string, Tensor>>& /*feed*/,
             const std::vector<std::string>& /*fetch*/,
             RunMetadata* /*metadata*/) override {
    return errors::Unimplemented("Cluster: that of a run runs no graphs");
  }

 private:
  const DeviceSet* const set_;
};

class Bridge final : public OutsideOptimizer {
 public:
  explicit Bridge(std::unique_ptr<CustomGraphOptimizer> optimizer)
      : optimizer_(std::move(optimizer)) {}

  Status Init(const ConfigProto& config,
              const RewriterConfig::CustomGraphOptimizer* entry) override {
    return optimizer_->InitWithConfig(config, entry);
  }

  Status Optimize(const OutsideItem& item, int64_t deadline_usec,
                  GraphDef* optimized) override {
    SessionCluster cluster(item.devices);
    GrapplerItem theirs;
    theirs.id = "tf_graph";
    theirs.graph = item.graph;
    theirs.feed = item.feeds;
    theirs.fetch = item.fetches;
    for (const DeviceInfo* info : item.devices->devices()) {
      TF_RETURN_IF_ERROR(theirs.AddDevice(info->name()));
    }
    optimizer_->set_deadline_usec(deadline_usec);
    TF_RETURN_IF_ERROR(
        optimizer_->Optimize(&cluster, std::move(theirs), optimized));
    *optimized->mutable_versions() = item.graph.versions();
    if (!optimizer_->UsesFunctionLibrary()) {
      *optimized->mutable_library() = item.graph.library();
    }
    return OkStatus();
  }

 private:
  const std::unique_ptr<CustomGraphOptimizer> optimizer_;
};

}  // namespace

bool GraphOptimizer::DeadlineExceeded() const {
  return deadline_usec_ > 0 &&
         static_cast<uint64>(absl::ToUnixMicros(absl::Now())) > deadline_usec_;
}

std::unique_ptr<CustomGraphOptimizer>
CustomGraphOptimizerRegistry::CreateByNameOrNull(const std::string& name) {
  Creator creator;
  {
    Registry* registry = GlobalRegistry();
    absl::MutexLock lock(&registry->mu);
    const auto it = registry->creators.find(name);
    if (it == registry->creators.end()) return nullptr;
    creator = it->second;
  }
  return std::unique_ptr<CustomGraphOptimizer>(creator());
}

std::vector<std::string>
CustomGraphOptimizerRegistry::GetRegisteredOptimizers() {
  std::vector<std::string> names;
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  for (const auto& [name, creator] : registry->creators) names.push_back(name);
  return names;
}

void CustomGraphOptimizerRegistry::RegisterOptimizerOrDie(
    const Creator& optimizer_creator, const std::string& name) {
  RegisterOutsideOptimizer(name, [optimizer_creator] {
    return std::make_unique<Bridge>(
        std::unique_ptr<CustomGraphOptimizer>(optimizer_creator()));
  });
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  registry->creators[name] = optimizer_creator;
}

}  // namespace grappler
}  // namespace tensorwright
