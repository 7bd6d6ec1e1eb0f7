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

// Makes the code of one phase out of the steps of its shape.
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

  // `leaves`: by value, whether a later phase or an output needs it.
  // `other_readers`: by input, whether another phase reads it.
  void Build(const std::vector<int>& steps, const std::vector<bool>& leaves,
             const std::vector<bool>& other_readers);

 private:
  using Key = std::pair<int, bool>;  // Value; seen left-aligned.

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

  // Its operand keeps its register to the end: the use is never given back.
  void AddReduction(int step_index);

  void Emit(int step_index);

  // Lets the step follow the one before it in one loop, if that has no other
  // reader and both can.  What the first one reads is still where it was, as a
  // loop reads an element before it writes there.
  bool JoinPrevious(int step_index, const std::vector<int>& operands,
                    int result);
  // False if it cannot be one.
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

  // An output may take the place of an input that is read, element by element,
  // no later than the output is written.
  void FindInPlace(const std::vector<bool>& other_readers);

  static int Arity(const Instruction& instruction);

  void ChooseTile();

  const FusedSchedule& schedule_;
  const FusedProgram& program_;
  const std::vector<int>& phase_of_step_;
  const int phase_index_;
  Phase& phase_;
  absl::flat_hash_map<Key, int> slot_;
  absl::flat_hash_map<int, int> uses_;               // That are still to come.
  absl::flat_hash_map<int, int> total_uses_;         // By value.
  absl::flat_hash_map<int, std::vector<int>> free_;  // By element size.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_PHASE_H_
