// SPDX-License-Identifier: Apache-2.0
// Checks the versions of graphs against those of their readers.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_VERSIONS_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_VERSIONS_H_

#include "core/lib/core/status.h"

namespace tensorwright {

class VersionDef;

// InvalidArgument unless a reader of version `consumer` that takes data of
// `min_producer` or later may read data with these versions.  `upper_name` and
// `lower_name` name the data at the beginning of a sentence and within one:
// "GraphDef", "graph".
Status CheckVersions(const VersionDef& versions, int consumer, int min_producer,
                     const char* upper_name, const char* lower_name);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_VERSIONS_H_
