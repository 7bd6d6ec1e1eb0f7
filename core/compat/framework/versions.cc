// SPDX-License-Identifier: Apache-2.0
// Checks the versions of graphs against those of their readers.
#include "core/compat/framework/versions.h"

#include "core/framework/versions.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

Status CheckVersions(const VersionDef& versions, int consumer, int min_producer,
                     const char* upper_name, const char* lower_name) {
  if (consumer < versions.min_consumer()) {
    return errors::InvalidArgument(upper_name, " needs a reader of version ",
                                   versions.min_consumer(),
                                   " or later, and this is version ", consumer);
  }
  if (versions.producer() < min_producer) {
    return errors::InvalidArgument(
        upper_name, " was written by version ", versions.producer(),
        ", and nothing before version ", min_producer,
        " can be read: write the ", lower_name, " anew");
  }
  for (const int bad : versions.bad_consumers()) {
    if (bad == consumer) {
      return errors::InvalidArgument(upper_name,
                                     " must not be read by version ", consumer,
                                     ", which this is");
    }
  }
  return OkStatus();
}

}  // namespace tensorwright
