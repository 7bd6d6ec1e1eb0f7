# SPDX-License-Identifier: Apache-2.0
"""SavedModel: graphs with their variables in a folder, for programs that serve them."""
