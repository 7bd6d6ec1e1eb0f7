// SPDX-License-Identifier: Apache-2.0
// Cluster: the devices that a graph optimizer may count on.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_CLUSTERS_CLUSTER_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_CLUSTERS_CLUSTER_H_

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/common_runtime/device_info.h"
#include "core/compat/grappler/grappler_item.h"
#include "core/framework/graph.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"
#include "core/protobuf/config.pb.h"
#include "core/protobuf/device_properties.pb.h"

namespace tensorwright {
namespace grappler {

class Cluster {
 public:
  explicit Cluster(int timeout_s) : timeout_s_(timeout_s) {}
  virtual ~Cluster() = default;

  // "session" for that of a run.
  virtual std::string type() const = 0;
  virtual Status Provision() = 0;
  virtual Status Shutdown() { return OkStatus(); }

  // By full name: "/job:localhost/replica:0/task:0/device:CPU:0".
  const std::unordered_map<std::string, DeviceProperties>& GetDevices() const {
    return devices_;
  }
  // Sorted.
  const std::vector<std::string> GetDeviceNames() const;
  // Null if the cluster has none.
  virtual const DeviceSet* GetDeviceSet() const { return nullptr; }

  virtual Status EnablePeakMemoryStats() {
    return errors::Unimplemented("Cluster: ", type(),
                                 " clusters count no peak memory");
  }
  virtual Status GetPeakMemoryUsage(
      std::unordered_map<std::string, uint64_t>* /*device_peak_memory*/) const {
    return errors::Unimplemented("Cluster: ", type(),
                                 " clusters count no peak memory");
  }

  // Unimplemented in the cluster of a run: its graph is being compiled.
  virtual Status Initialize(const GrapplerItem& item) = 0;
  virtual Status Run(const GraphDef& graph_def,
                     const std::vector<std::pair<std::string, Tensor>>& feed,
                     const std::vector<std::string>& fetch,
                     RunMetadata* metadata) = 0;
  virtual Status Run(const GrapplerItem& item, RunMetadata* metadata) {
    return Run(item.graph, item.feed, item.fetch, metadata);
  }

 protected:
  std::unordered_map<std::string, DeviceProperties> devices_;
  const int timeout_s_;
};

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_CLUSTERS_CLUSTER_H_
