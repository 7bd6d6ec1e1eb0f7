// SPDX-License-Identifier: Apache-2.0
// Finds the C++ names behind addresses and types, for registrations to record.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_SYMBOL_NAME_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_SYMBOL_NAME_H_

#include <string>
#include <typeinfo>

namespace tensorwright {

// The name of the function at `address`, as it is written in this library:
// "UnchangedShape", without namespaces and arguments.  Finds functions of
// anonymous namespaces too, by reading the symbol table of the file they were
// loaded from; empty if that was stripped.
std::string FunctionName(const void* address);

// "dnnl::convolution_forward".
std::string TypeName(const std::type_info& type);
// The same from the result of type_info::name().
std::string DemangledName(const char* mangled);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_SYMBOL_NAME_H_
