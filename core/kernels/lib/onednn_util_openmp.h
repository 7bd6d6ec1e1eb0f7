// SPDX-License-Identifier: Apache-2.0
// OpenMP for oneDNN, over the session's intra-op threads.
//
// oneDNN comes compiled for libgomp, whose threads would compete with ours and
// spin when idle.  UseOurOpenMp redirects the ten functions that oneDNN calls
// of libgomp to ones that run its parallel regions on a ThreadTeam.  Only
// oneDNN is redirected: any other user of OpenMP in the process stays with the
// libgomp that it was linked to, and so does oneDNN outside an OpenMpScope, if
// somebody else in the process calls it.
//
// The gain: runs a second of 1, 2 and 4 sessions of a process, each in its own
// thread, on 2 cores (docs/measured.md describes the programs):
//
//                         this       libgomp as it is      TBB's arena
//   convolution     947 1121 1016     725 1137 1061      931 1020  886
//   product         976 1088 1133     936 1032 1120     1009  875  843
//   training step   243  259  287     175  167  212      201  234  276
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_OPENMP_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_OPENMP_H_

#include "core/lib/core/thread_team.h"

namespace tensorwright {
namespace onednn {

// Call it before the first call of oneDNN; the first call acts, later ones are
// free.
void UseOurOpenMp();

// While it lives, oneDNN calls of this thread run on a team: regions of up to
// `threads()` threads, which are distinct and run at the same time; a region
// inside a region has one thread.  Scopes of a thread nest; the inner one has a
// team of one.
class OpenMpScope {
 public:
  // Takes a team of `threads` threads; a team of one if `pool` is null or
  // grants none (thread_team.h).
  OpenMpScope(thread::TeamPool* pool, int threads);
  ~OpenMpScope();
  OpenMpScope(const OpenMpScope&) = delete;
  OpenMpScope& operator=(const OpenMpScope&) = delete;

  int threads() const { return team_.size(); }

 private:
  OpenMpScope* const outer_;
  thread::ThreadTeam team_;
};

}  // namespace onednn
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_OPENMP_H_
