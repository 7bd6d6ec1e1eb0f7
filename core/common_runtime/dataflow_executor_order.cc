// SPDX-License-Identifier: Apache-2.0
// DataflowExecutor: which of the nodes that are ready a thread runs next, which
// it hands on, and how loops run.
#include <algorithm>
#include <utility>

#include "core/common_runtime/dataflow_executor.h"

namespace tensorwright {

void DataflowExecutor::ChooseLoops() {
  for (size_t i = 1; i < graph_.frames().size(); ++i) {
    const CompiledLoop* loop = graph_.frames()[i].loop.get();
    if (loop == nullptr) continue;
    // A trace shows the nodes that only pass values on, too.
    const bool sequential =
        args_.step->stats() == nullptr &&
        (!concurrent_ ||
         std::none_of(loop->expensive.begin(), loop->expensive.end(),
                      [this](int n) { return graph_.IsWorthAThread(n); }));
    frames_.SetSequential(static_cast<int>(i), sequential);
  }
}

bool DataflowExecutor::RunLoop(const ReadyNode& n,
                               OpKernelContext::Params* params,
                               Backlog* backlog) {
  for (bool ended = false; !ended;) {
    const Status status =
        n.loop->sequential->Run(params, *args_.step, kNodesPerTurn, &ended);
    if (!status.ok()) args_.step->Fail(status);
    if (ended || args_.step->stopped()) return true;
    Step::Poll();
    if (backlog->size() > 0 && !args_.in_order) {
      backlog->cheap.push_back(n);
      return false;
    }
  }
  return true;
}

void DataflowExecutor::Sort(ReadyList* ready, Backlog* backlog) {
  ReadyList wide;
  for (const ReadyNode& n : *ready) {
    const bool costly = concurrent_ && !args_.in_order && !n.dead &&
                        graph_.nodes()[n.node].is_expensive &&
                        graph_.IsWorthAThread(n.node);
    if (!costly) {
      backlog->cheap.push_back(n);
    } else if (graph_.IsWide(n.node) && args_.queue->has_pool()) {
      wide.push_back(n);
    } else {
      backlog->costly.push_back(n);
    }
  }
  ready->clear();
  // This comes last: if it leaves the backlog empty, the run may be over.
  for (const ReadyNode& n : wide) QueueWide(n, backlog);
}

void DataflowExecutor::QueueWide(const ReadyNode& n, Backlog* backlog) {
  absl::MutexLock lock(&mu_);
  // Once the step has been stopped, no wide node makes room any more.
  if (wide_.has_value() && !args_.step->stopped()) {
    wide_waiting_.push_back(n);
    return;
  }
  wide_ = n;
  backlog->wide.push_back(n);
}

ReadyNode DataflowExecutor::Next(Backlog* backlog) {
  ReadyList& list = !backlog->cheap.empty()  ? backlog->cheap
                    : !backlog->wide.empty() ? backlog->wide
                                             : backlog->costly;
  const ReadyNode n = list.back();
  list.pop_back();
  if (&list != &backlog->cheap && args_.queue->has_pool()) {
    for (const ReadyNode& other : backlog->costly) HandOn({other});
    backlog->costly.clear();
  }
  return n;
}

void DataflowExecutor::TakeTurns(Backlog* backlog) {
  ReadyList& cheap = backlog->cheap;
  ReadyList& costly = backlog->costly;
  if (cheap.empty()) return;
  if (!backlog->wide.empty()) {
    cheap.push_back(backlog->wide.back());
    backlog->wide.pop_back();
  }
  if (costly.empty()) {
    std::swap(cheap.front(), cheap.back());
  } else if (args_.queue->has_pool()) {
    for (const ReadyNode& n : costly) HandOn({n});
    costly.clear();
  } else {
    cheap.push_back(costly.back());
    costly.pop_back();
  }
}

void DataflowExecutor::HandOn(ReadyList ready) {
  args_.queue->Push([this, ready = std::move(ready)]() mutable {
    Process(std::move(ready));
  });
}

}  // namespace tensorwright
