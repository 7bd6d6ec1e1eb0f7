// SPDX-License-Identifier: Apache-2.0
// PhaseBuilder: the code of one phase of a FusedSchedule.
#ifndef TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_PHASE_H_
#define TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_PHASE_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/kernels/fused/cwise_ops_fused_schedule.h"
#include "core/util/fused_program.h"

namespace tensorwright {

// Makes the code of one phase out of the steps whose results have its shape.
class FusedSchedule::PhaseBuilder {
 public:
  PhaseBuilder(const FusedSchedule& schedule, const FusedProgram& program,
               const std::vector<int>& phase_of_step, int phase_index,
               Phase* phase)
      : schedule_(schedule),
        program_(program),
        phase_of_step_(phase_of_step),
        phase_index_(phase_index),
        phase_(*phase) {}

  // leaves[v] says whether a later phase or an output needs value v;
  // other_readers[i] says whether another phase reads input i.
  void Build(const std::vector<int>& steps, const std::vector<bool>& leaves,
             const std::vector<bool>& other_readers);

 private:
  // Value, and whether it is seen left-aligned.
  using Key = std::pair<int, bool>;

  static bool IsLeftAligned(const FusedProgram::Step& step, int k) {
    return step.kind == ElementwiseKind::kSelect && k == 0;
  }
  Key KeyOf(const FusedProgram::Step& step, int k) const;
  bool IsMadeHere(int value) const {
    return value >= program_.num_inputs() &&
           phase_of_step_[value - program_.num_inputs()] == phase_index_;
  }

  bool IsReduction(int step_index) const {
    return schedule_.loops_[step_index].reduce != nullptr;
  }

  void CollectSources(int step_index);

  void CountUses(int step_index);

  // The operand of a reduction keeps its register until the phase ends: its use
  // is counted and never released.
  void AddReduction(int step_index);

  void Emit(int step_index);

  // Merges the step into the loop of the step before it, if nothing else reads
  // that step's result and both loops can be merged.  The inputs of the first
  // step are still intact then: a loop reads each element before it overwrites
  // it.
  bool JoinPrevious(int step_index, const std::vector<int>& operands,
                    int result);
  // Turns the instruction into a chain of one link, unless it is a chain
  // already.  False if its step cannot be a link.
  bool MakeChain(Instruction* instruction) const;
  bool IsWholeTile(int slot) const {
    return slot >= static_cast<int>(phase_.sources.size()) ||
           phase_.sources[slot].access == Source::Access::kDirect;
  }

  int FirstRegister() const {
    return static_cast<int>(phase_.sources.size() + phase_.sinks.size());
  }

  int NewRegister(int element_size);

  void ReleaseOperands(const FusedProgram::Step& step);

  // Finds the inputs whose buffers outputs may reuse: inputs that are read
  // element by element, each element no later than the output writes there.
  void FindInPlace(const std::vector<bool>& other_readers);

  static int Arity(const Instruction& instruction);

  void ChooseTile();

  const FusedSchedule& schedule_;
  const FusedProgram& program_;
  const std::vector<int>& phase_of_step_;
  const int phase_index_;
  Phase& phase_;
  absl::flat_hash_map<Key, int> slot_;
  absl::flat_hash_map<int, int> uses_;  // The number of uses still to come.
  absl::flat_hash_map<int, int> total_uses_;         // By value.
  absl::flat_hash_map<int, std::vector<int>> free_;  // By element size.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_PHASE_H_
