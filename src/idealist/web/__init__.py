"""The workbench: projects, evaluations and explanations in the browser, started by `idealist serve`."""
