// SPDX-License-Identifier: Apache-2.0
// The functions of libgomp that oneDNN calls, over ThreadTeam.  They do what
// the OpenMP standard asks of the directives they stand for.
#include "core/kernels/lib/onednn_util_openmp.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/kernels/lib/onednn_util_imports.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/logging.h"
#include "oneapi/dnnl/dnnl.h"

namespace tensorwright {
namespace onednn {
namespace {

using RegionFunction = void (*)(void* data);

// A loop that the members of a region share, seen by one of them.
struct SharedLoop {
  long start = 0, increment = 1, iterations = 0, chunk = 0, next_chunk = 0;
};

// A parallel region, seen by one of its members.
struct Region {
  int member = 0;
  int members = 1;
  SharedLoop loop;
};

// The place of a thread among scopes and regions.
struct Place {
  // Null: the thread is outside all scopes.
  thread::ThreadTeam* team = nullptr;
  // The outermost is no region, but the sequential part: it has one member.
  std::vector<Region> regions;
};
thread_local Place here;

// A region of more threads than the team has, which is libgomp's: `place` is
// the thread's place before it, `depth` the number of regions entered since.
struct ForeignRegion {
  Place place;
  int depth = 0;
};
thread_local ForeignRegion foreign;
thread_local OpenMpScope* current_scope = nullptr;

// Start hands this to members; it lives until Join.
struct Call {
  thread::ThreadTeam* team;
  RegionFunction fn;
  void* data;
  int members;
};
thread_local Call call;

void RunMember(void* data, int member) {
  const Call& c = *static_cast<Call*>(data);
  here.team = c.team;
  here.regions.assign(1, {member, c.members, {}});
  c.fn(c.data);
  here.team = nullptr;
}

// The functions that oneDNN was linked to.
struct {
  void (*parallel_start)(RegionFunction, void*, unsigned);
  void (*parallel_end)();
  void (*barrier)();
  bool (*loop_static_start)(long, long, long, long, long*, long*);
  bool (*loop_static_next)(long*, long*);
  void (*loop_end_nowait)();
  int (*get_max_threads)();
  int (*get_num_threads)();
  int (*get_thread_num)();
  int (*in_parallel)();
} gomp;

bool InScope() { return here.team != nullptr; }

int InParallel() {
  if (!InScope()) return gomp.in_parallel();
  return std::any_of(here.regions.begin(), here.regions.end(),
                     [](const Region& r) { return r.members > 1; });
}

// libgomp's compilers call the region's function for member 0 themselves,
// between start and end.
void ParallelStart(RegionFunction fn, void* data, unsigned threads) {
  if (!InScope()) {
    if (foreign.depth > 0) ++foreign.depth;
    return gomp.parallel_start(fn, data, threads);
  }
  int members = 1;
  if (!InParallel()) {
    members = threads == 0 ? here.team->size() : static_cast<int>(threads);
    if (members > here.team->size()) {
      // A primitive runs with fewer threads than it was made for, which is our
      // mistake.  Its members may wait for each other, so each needs a thread.
      LOG_FIRST_N(WARNING, 1) << "oneDNN asks for " << members
                              << " threads where it has " << here.team->size();
      foreign = {std::exchange(here, {}), 1};
      return gomp.parallel_start(fn, data, threads);
    }
    call = {here.team, fn, data, members};
    here.team->Start(members, RunMember, &call);
  }
  here.regions.push_back({0, members, {}});
}

void ParallelEnd() {
  if (!InScope()) {
    gomp.parallel_end();
    if (foreign.depth > 0 && --foreign.depth == 0) {
      here = std::exchange(foreign.place, {});
    }
    return;
  }
  if (here.regions.back().members > 1) here.team->Join();
  here.regions.pop_back();
}

void Barrier() {
  if (!InScope()) return gomp.barrier();
  here.team->Barrier(here.regions.back().members);
}

// With schedule(static) a member gets one run of iterations; with
// schedule(static, chunk) every so many-th chunk.
bool LoopStaticNext(long* start, long* end) {
  if (!InScope()) return gomp.loop_static_next(start, end);
  Region& r = here.regions.back();
  SharedLoop& loop = r.loop;
  long from, to;
  if (loop.chunk == 0) {
    if (loop.next_chunk++ > 0) return false;
    const long each = loop.iterations / r.members;
    const long more = loop.iterations % r.members;
    from = each * r.member + std::min<long>(more, r.member);
    to = from + each + (r.member < more ? 1 : 0);
  } else {
    from = (loop.next_chunk++ * r.members + r.member) * loop.chunk;
    to = std::min(from + loop.chunk, loop.iterations);
  }
  if (from >= to) return false;
  *start = loop.start + from * loop.increment;
  *end = loop.start + to * loop.increment;
  return true;
}

bool LoopStaticStart(long start, long end, long increment, long chunk,
                     long* member_start, long* member_end) {
  if (!InScope()) {
    return gomp.loop_static_start(start, end, increment, chunk, member_start,
                                  member_end);
  }
  const long round_up = increment > 0 ? increment - 1 : increment + 1;
  SharedLoop& loop = here.regions.back().loop;
  loop = {start, increment, std::max(0L, (end - start + round_up) / increment),
          chunk, 0};
  return LoopStaticNext(member_start, member_end);
}

void LoopEndNowait() {
  if (!InScope()) gomp.loop_end_nowait();
}

int GetMaxThreads() {
  return InScope() ? here.team->size() : gomp.get_max_threads();
}

int GetNumThreads() {
  return InScope() ? here.regions.back().members : gomp.get_num_threads();
}

int GetThreadNum() {
  return InScope() ? here.regions.back().member : gomp.get_thread_num();
}

template <typename F>
ImportRedirection To(const char* name, F* ours, F** original) {
  return {name, reinterpret_cast<void*>(ours),
          reinterpret_cast<void**>(original)};
}

bool Redirect() {
  const ImportRedirection functions[] = {
      To("GOMP_parallel_start", ParallelStart, &gomp.parallel_start),
      To("GOMP_parallel_end", ParallelEnd, &gomp.parallel_end),
      To("GOMP_barrier", Barrier, &gomp.barrier),
      To("GOMP_loop_static_start", LoopStaticStart, &gomp.loop_static_start),
      To("GOMP_loop_static_next", LoopStaticNext, &gomp.loop_static_next),
      To("GOMP_loop_end_nowait", LoopEndNowait, &gomp.loop_end_nowait),
      To("omp_get_max_threads", GetMaxThreads, &gomp.get_max_threads),
      To("omp_get_num_threads", GetNumThreads, &gomp.get_num_threads),
      To("omp_get_thread_num", GetThreadNum, &gomp.get_thread_num),
      To("omp_in_parallel", InParallel, &gomp.in_parallel),
  };
  const Status status = RedirectImports(
      reinterpret_cast<const void*>(&dnnl_engine_create), functions);
  // Results are right without the redirection, but the threads are not ours.
  if (!status.ok()) LOG(WARNING) << "oneDNN keeps libgomp: " << status;
  return status.ok();
}

}  // namespace

void UseOurOpenMp() { [[maybe_unused]] static const bool done = Redirect(); }

OpenMpScope::OpenMpScope(thread::TeamPool* pool, int threads)
    : outer_(current_scope),
      team_(outer_ == nullptr ? pool : nullptr, threads) {
  if (pool != nullptr) {
    thread::ThreadPool::CountCall(threads, pool->NumThreads());
  }
  current_scope = this;
  here.team = &team_;
  here.regions.emplace_back();
}

OpenMpScope::~OpenMpScope() {
  here.regions.pop_back();
  here.team = outer_ == nullptr ? nullptr : &outer_->team_;
  current_scope = outer_;
}

}  // namespace onednn
}  // namespace tensorwright
