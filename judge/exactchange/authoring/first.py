"""The first task that `exactchange init` writes: small, whole, and commented line by line."""

_TASK = """\
# A task is one YAML file: what the agent is told, which state is looked at, and what must and must not become of it.
# `exactchange check first-task.yaml` finds every mistake in it; `exactchange schema` gives editors its JSON Schema.
id: first-task

# What the agent is told, word for word.
instruction: Set the request timeout in settings.yaml to 30 seconds. Change nothing else.

# The state at the start. Each run works on a copy of this folder of its own, called {workdir} below.
app:
  seed: seed

# Real state that the verdict is about. Nothing in a source may change unless a rule below asks for it or allows it.
sources:
  config: {adapter: file, path: "{workdir}/settings.yaml", dialect: yaml-1.2}
  files: {adapter: tree, path: "{workdir}"}    # everything else in the folder

# Red lines. One that is crossed, if only for a moment, ends it: nothing makes up for it.
veto:
  - {name: no feature is switched off, change: {in: config, at: "features.*", to: {not: true}}}

# What has to be done. Types count: 30 is a number, "30" would be a text.
must:
  - {name: the timeout is 30, change: {in: config, at: server.timeout, from: 20, to: 30}}

# What may change beside it, and need not. An unexplained change prints the line to add here.
# allow:
#   - {in: files, at: "backup/**", op: added}

# What is worth more points after a pass, and never changes the outcome.
bonus:
  - {name: at most three steps, effort: {steps: 3}}
"""

_SEED = """\
server:
  timeout: 20
  retries: 3
features:
  search: true
  export: true
"""


def first_task() -> dict[str, str]:
    """The files of the first task, by relative path; the task comes first."""
    return {"first-task.yaml": _TASK, "seed/settings.yaml": _SEED}
