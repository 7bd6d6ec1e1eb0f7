// SPDX-License-Identifier: Apache-2.0
// Versions, for the preprocessor: the package's, that of the TensorFlow whose
// interface this is, and those of the GraphDefs it reads and writes.
// python/framework/versions.py has the same.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_VERSION_H_
#define TENSORWRIGHT_CORE_LIB_CORE_VERSION_H_

// The package's version, in no other place: the wheels read it here
// (tools/pip_package/wheel_parts.py).
#define TENSORWRIGHT_VERSION_STRING "0.2.0"
// Counts changes of what these headers promise about layouts and symbols within
// a version.
#define TENSORWRIGHT_ABI_VERSION 2

#define TF_MAJOR_VERSION 1
#define TF_MINOR_VERSION 15
#define TF_PATCH_VERSION 0
#define TF_VERSION_SUFFIX ""
#define TF_VERSION_STRING "1.15.0"

#define TF_GRAPH_DEF_VERSION_MIN_PRODUCER 0
#define TF_GRAPH_DEF_VERSION_MIN_CONSUMER 0
#define TF_GRAPH_DEF_VERSION 24

#define TF_CHECKPOINT_VERSION_MIN_PRODUCER 0
#define TF_CHECKPOINT_VERSION_MIN_CONSUMER 0
#define TF_CHECKPOINT_VERSION 1

#endif  // TENSORWRIGHT_CORE_LIB_CORE_VERSION_H_
