// SPDX-License-Identifier: Apache-2.0
// A check that ends the process before anybody can ask for anything.
#include <cstdlib>

static int Check() { std::abort(); }
int checked = Check();
