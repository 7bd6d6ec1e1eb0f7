# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.integrate: ordinary differential equations.

Re-exports, no code.
"""

from tensorwright.contrib.integrate.python.ops.odes import (
    odeint as odeint,
    odeint_fixed as odeint_fixed,
)
