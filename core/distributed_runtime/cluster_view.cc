// SPDX-License-Identifier: Apache-2.0
// ClusterView.
#include "core/distributed_runtime/cluster_view.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

std::string TaskName(const std::string& job, int replica, int task) {
  return absl::StrCat("/job:", job, "/replica:", replica, "/task:", task);
}

ClusterView::ClusterView(const ServerDef& def, const ClusterSecurity& security,
                         std::shared_ptr<Transport> own_worker)
    : def_(def),
      task_(TaskName(def.job_name(), def.replica(), def.task_index())),
      own_worker_(std::move(own_worker)),
      transports_(std::make_unique<TransportCache>(security)) {}

StatusOr<std::shared_ptr<ClusterView>> ClusterView::New(
    const ServerDef& def, const ClusterSecurity& security,
    std::shared_ptr<Transport> own_worker) {
  std::shared_ptr<ClusterView> view(
      new ClusterView(def, security, std::move(own_worker)));
  std::map<std::string, std::string> task_at;
  for (const JobDef& job : def.cluster().job()) {
    for (const auto& [index, address] : job.tasks()) {
      const std::string task = TaskName(job.name(), def.replica(), index);
      view->addresses_[task] = address;
      if (absl::EndsWith(address, ":0")) continue;
      const auto [known, is_new] = task_at.emplace(address, task);
      if (is_new || known->second == task) continue;
      return errors::InvalidArgument("The cluster has two tasks at ", address,
                                     ": ", known->second, " and ", task);
    }
  }
  if (view->addresses_.count(view->task_) == 0) {
    return errors::InvalidArgument("ServerDef: the cluster has no task ",
                                   view->task_);
  }
  return view;
}

std::shared_ptr<Transport> ClusterView::WorkerOf(absl::string_view task) const {
  if (task == task_) return own_worker_;
  const auto it = addresses_.find(std::string(task));
  return it == addresses_.end() ? nullptr : transports_->Get(it->second);
}

StatusOr<ServerDef> ServerDefOf(const ClusterDef& cluster,
                                const std::string& address) {
  for (const JobDef& job : cluster.job()) {
    for (const auto& [index, known] : job.tasks()) {
      if (known != address) continue;
      ServerDef def;
      *def.mutable_cluster() = cluster;
      def.set_job_name(job.name());
      def.set_task_index(index);
      def.set_protocol("grpc");
      return def;
    }
  }
  return errors::InvalidArgument(
      "ConfigProto: cluster_def has no task at ", address,
      ", the address of the session's master, which must be one of its tasks");
}

}  // namespace tensorwright
