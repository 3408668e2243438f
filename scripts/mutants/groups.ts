/** Files whose tests are measured together, and the share of mutants that the tests must kill. */
export interface Group {
  /** Files, or folders with all their content; a star at the end leaves out subfolders. */
  readonly mutate: readonly string[]
  /** The tests that may kill a mutant: only near ones, since each mutant runs all that cover it. */
  readonly tests: readonly string[]
  readonly leastPercent: number
}

const testsIn = (...folders: string[]) => folders.map((folder) => `src/${folder}/**/*.test.ts`)

export const GROUPS: Readonly<Record<string, Group>> = {
  gateway: {
    mutate: ['src/gateway'],
    tests: testsIn('gateway'),
    leastPercent: 88,
  },
  identity: {
    mutate: ['src/identity'],
    tests: testsIn('identity'),
    leastPercent: 88,
  },
  base: {
    mutate: ['src/base'],
    tests: testsIn('base', 'gateway', 'telemetry/audit'),
    leastPercent: 80,
  },
  protocol: {
    mutate: ['src/protocol'],
    tests: testsIn('protocol', 'upstreams/connections', 'fronts'),
    leastPercent: 80,
  },
  shaping: {
    mutate: ['src/shaping'],
    tests: testsIn('shaping'),
    leastPercent: 80,
  },
  config: {
    mutate: ['src/config'],
    tests: testsIn('config'),
    leastPercent: 80,
  },
  upstreams: {
    mutate: [
      'src/upstreams/*',
      'src/upstreams/connections/*',
      'src/upstreams/listing/*',
      'src/upstreams/output/*',
    ],
    tests: ['src/upstreams/*.test.ts', ...testsIn('upstreams/{connections,listing,output}')],
    leastPercent: 80,
  },
}
