/** One mistake in one place of the configuration, worded so that a person can fix it. */
export interface Problem {
  /** The file it is in, or `environment`. */
  readonly file: string
  /** The path within the file, such as `mcpServers.pg.args[0]`; empty for the file as a whole. */
  readonly path: string
  /** What is wrong, and what was expected. */
  readonly message: string
  readonly hint?: string | undefined
  /** The server, if only its entry is wrong; other servers still run. */
  readonly server?: string
}

/** Whether the problem affects more than one server's entry. */
export function isFatal({ server }: Problem): boolean {
  return server === undefined
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'))
    this.problems = problems
  }
}

export function describeProblem({ file, path, message, hint }: Problem): string {
  const place = path === '' ? file : `${file}: ${path}`
  return hint === undefined ? `${place}: ${message}` : `${place}: ${message} (${hint})`
}

export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('')
}
