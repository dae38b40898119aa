"""Other places than the native core where measures are computed, from the same `values` that the core runs.

A measure is written in an algebra: it asks lists for numbers, and computes with them. A backend is another implementation:

- **lists**, in the place of `kernels.Rankings`: operations, which `kernels` names as functions of the lists (`kernels.grades(lists)`),
  are methods of the same names here; so are the questions `longest`, `levels`, `highest_grade`, `missing`, `empty`, `queries`,
  `name` and `query`. `backend` is the backend's name in messages. An operation that a backend lacks is refused by name.
- **places**, in the place of `kernels.Places`: a number for each judged document that was retrieved, in rank order.
- **values**, in the place of `kernels.Values`: a number for each query.

All have the methods of the core's (`kernels/_native.pyi`), in which what is undefined is nan, division by 0 is undefined, and a
comparison is 1 or 0. Lists of a backend stand in a `data.Rankings` as its `native`, and a measure sees no difference.
Tests hold every measure to the core's values (`tests/learn/test_tensor_values.py`).

`tensors` is PyTorch, on a processor or a GPU. `soft` is the same with soft ranks, through which gradients pass
(`tests/learn/losses/test_soft_losses.py`). `explained` is the core, whose numbers remember what they were computed of, for `explain`
(`tests/evaluation/test_explain_laws.py`).
"""
