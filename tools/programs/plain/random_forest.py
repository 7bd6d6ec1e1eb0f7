# SPDX-License-Identifier: Apache-2.0
"""The forest of programs/random_forest.py, grown in NumPy from all examples at once."""

import numpy as np

num_steps = 60
batch_size = 512
num_classes = 10
num_features = 64
num_trees = 10
max_nodes = 400

rng = np.random.RandomState(0)
patterns = rng.uniform(0, 1, [num_classes, num_features])


def next_batch(size):
    labels = rng.randint(num_classes, size=size)
    pictures = patterns[labels] + rng.normal(0, 0.35, [size, num_features])
    return pictures.astype(np.float32), labels.astype(np.int32)


def impurity(labels):
    counts = np.bincount(labels, minlength=num_classes)
    return len(labels) - (counts**2).sum() / max(1, len(labels))


def split(pictures, labels):
    """The best of ten splits, each by the value of an example at a feature."""
    drawn = [
        (feature, pictures[rng.randint(len(labels)), feature])
        for feature in rng.randint(num_features, size=10)
    ]
    left = [pictures[:, f] <= t for f, t in drawn]
    scores = [impurity(labels[w]) + impurity(labels[~w]) for w in left]
    best = int(np.argmin(scores))
    return drawn[best], left[best]


def grow(pictures, labels):
    """Nodes: (feature, threshold, left, right) of an inner one, probabilities of a leaf."""
    nodes, waiting, sizes = [None], [(0, pictures, labels)], [1]
    while waiting:
        node, x, y = waiting.pop(0)
        counts = np.bincount(y, minlength=num_classes)
        nodes[node] = counts / counts.sum()
        if len(nodes) + 2 > max_nodes or len(y) < 250 or counts.max() == len(y):
            continue
        (feature, threshold), left = split(x, y)
        if left.all() or not left.any():
            continue
        nodes[node] = (feature, threshold, len(nodes), len(nodes) + 1)
        waiting.append((len(nodes), x[left], y[left]))
        waiting.append((len(nodes) + 1, x[~left], y[~left]))
        nodes += [None, None]
        sizes.append(len(nodes))
    return nodes, sizes


def probabilities_of(nodes, pictures):
    found = np.zeros([len(pictures), num_classes])
    for i, picture in enumerate(pictures):
        node = nodes[0]
        while isinstance(node, tuple):
            feature, threshold, left, right = node
            node = nodes[left if picture[feature] <= threshold else right]
        found[i] = node
    return found


batches = [next_batch(batch_size) for _ in range(num_steps)]
train_x, train_y = (np.concatenate(part) for part in zip(*batches))
test_x, test_y = next_batch(2000)
trees = [grow(train_x, train_y) for _ in range(num_trees)]
sizes = np.mean([[s[0], s[len(s) // 2], s[-1]] for _, s in trees], 0)
probabilities = np.mean([probabilities_of(nodes, test_x) for nodes, _ in trees], 0)
accuracy = np.mean(probabilities.argmax(1) == test_y)

print("trees grow:", bool(sizes[0] < sizes[1] < sizes[2]))
print("trees stay small:", bool(sizes[2] <= max_nodes))
print("probabilities:", probabilities.shape, "sum", probabilities.sum(1).mean())
print("accuracy above 0.95:", bool(accuracy > 0.95))
