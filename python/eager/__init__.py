# SPDX-License-Identifier: Apache-2.0
"""Questions about eager execution, which graph mode answers with no."""
