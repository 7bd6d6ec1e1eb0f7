// SPDX-License-Identifier: Apache-2.0
// Device names: "/job:localhost/replica:0/task:0/device:CPU:0", parts of it,
// and the old short forms "/cpu:0", "CPU:0", "/gpu:*".
#ifndef TENSORWRIGHT_CORE_UTIL_DEVICE_NAME_UTILS_H_
#define TENSORWRIGHT_CORE_UTIL_DEVICE_NAME_UTILS_H_

#include <string>
#include <tuple>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class DeviceNameUtils {
 public:
  // A full or partial name.  A part whose has_x is false matches anything.
  struct ParsedName {
    bool has_job = false;
    std::string job;
    bool has_replica = false;
    int replica = 0;
    bool has_task = false;
    int task = 0;
    bool has_type = false;
    std::string type;  // Upper case: "CPU".
    bool has_id = false;
    int id = 0;

    bool operator==(const ParsedName& other) const {
      const auto fields = [](const ParsedName& n) {
        return std::tie(n.has_job, n.job, n.has_replica, n.replica, n.has_task,
                        n.task, n.has_type, n.type, n.has_id, n.id);
      };
      return fields(*this) == fields(other);
    }
  };

  // False if `name` is malformed.  "" and "/" parse as nothing given.
  static bool ParseFullName(absl::string_view name, ParsedName* parsed);
  static bool ParseLocalName(absl::string_view name, ParsedName* parsed);

  static std::string FullName(const std::string& job, int replica, int task,
                              const std::string& type, int id);
  static std::string ParsedNameToString(const ParsedName& name);
  static std::string LocalName(absl::string_view type, int id);

  // Does `name` satisfy every part that `pattern` has?
  static bool IsSpecification(const ParsedName& pattern,
                              const ParsedName& name);
  static bool IsCompleteSpecification(const ParsedName& pattern,
                                      const ParsedName& name);
  static bool HasSomeDetails(const ParsedName& name);

  // Adds to *target the parts that only `other` has.  InvalidArgument if they
  // differ, except that with `allow_soft_placement` a difference of type or id
  // leaves both out.
  static Status MergeDevNames(ParsedName* target, const ParsedName& other,
                              bool allow_soft_placement = false);

  static bool IsSameAddressSpace(const ParsedName& a, const ParsedName& b);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_DEVICE_NAME_UTILS_H_
