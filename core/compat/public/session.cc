// SPDX-License-Identifier: Apache-2.0
// Sessions that have their own graph.
#include "core/compat/public/session.h"

#include <memory>

#include "core/graph/live_graph.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {

Status NewSession(const SessionOptions& options, Session** out_session) {
  *out_session = nullptr;
  TF_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                      NewSession(options.target, options.config,
                                 std::make_shared<LiveGraph>()));
  *out_session = session.release();
  return OkStatus();
}

Session* NewSession(const SessionOptions& options) {
  Session* session = nullptr;
  const Status made = NewSession(options, &session);
  if (!made.ok()) LOG(ERROR) << "NewSession: " << made;
  return session;
}

Status Reset(const SessionOptions& options,
             const std::vector<std::string>& containers) {
  return ResetSessions(options.target, options.config, containers);
}

}  // namespace tensorwright
