// SPDX-License-Identifier: Apache-2.0
// Sessions for programs and kernels in C++: made from options, for a GraphDef.
//
//   std::unique_ptr<Session> session(NewSession(SessionOptions()));
//   TF_RETURN_IF_ERROR(session->Create(graph_def));
//   TF_RETURN_IF_ERROR(session->Run({{"x", x}}, {"y:0"}, {}, &outputs));
#ifndef TENSORWRIGHT_CORE_COMPAT_PUBLIC_SESSION_H_
#define TENSORWRIGHT_CORE_COMPAT_PUBLIC_SESSION_H_

#include <string>
#include <vector>

#include "core/common_runtime/session.h"
#include "core/compat/public/session_options.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The caller owns it.  Errors are those of core/common_runtime/session.h; after
// one, the second form logs it and returns null.
Status NewSession(const SessionOptions& options, Session** out_session);
Session* NewSession(const SessionOptions& options);

// Drops the resources that sessions of the target share, in the containers
// named.
Status Reset(const SessionOptions& options,
             const std::vector<std::string>& containers);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PUBLIC_SESSION_H_
