// SPDX-License-Identifier: Apache-2.0
// `namespace tensorflow`, for sources written against TensorFlow.  Included by
// every "tensorflow/..." header.
//
// Such a source says `using namespace tensorflow`, tensorflow::X, or `namespace
// tensorflow { ... }`.  Within the last it may forward-declare a class of the
// framework, specialise one of its templates, or put a shape function into
// tensorflow::shape_inference.  All of that means *our* namespace, so the name
// has to be the same namespace: an alias cannot be reopened, and a namespace
// with a using-directive takes neither forward declarations nor
// specialisations.  Only the preprocessor can do it.  #include lines are not
// touched.
//
// So users' classes are among ours.  Should one have the name of a kernel here,
// each library still uses its own: op libraries are opened with RTLD_DEEPBIND.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_COMPAT_NAMESPACE_H_
#define TENSORWRIGHT_CORE_LIB_CORE_COMPAT_NAMESPACE_H_

namespace tensorwright {}

#define tensorflow tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_COMPAT_NAMESPACE_H_
