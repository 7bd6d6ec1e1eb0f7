// SPDX-License-Identifier: Apache-2.0
// A library without a stamp that needs what is no longer there.
namespace tensorwright {
void FunctionOfYesterday();
}  // namespace tensorwright

void broken_for_another_interface() { tensorwright::FunctionOfYesterday(); }
