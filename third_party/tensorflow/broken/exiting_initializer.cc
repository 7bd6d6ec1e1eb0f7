// SPDX-License-Identifier: Apache-2.0
// A check that ends the process in an orderly way.
#include <cstdio>
#include <cstdlib>

static int Check() {
  std::fputs("no licence\n", stderr);
  std::exit(3);
}
int checked = Check();
