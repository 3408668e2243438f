/** Files whose tests are measured together, and the share of mutants that these must notice. */
export interface Group {
  /** Files, folders with all that is in them, or with a star at the end without their folders. */
  readonly mutate: readonly string[]
  /** The tests that may notice a mutant: near ones only, since each mutant runs all that cover it. */
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
      'src/upstreams/eras/*',
      'src/upstreams/listing/*',
      'src/upstreams/output/*',
    ],
    tests: ['src/upstreams/*.test.ts', ...testsIn('upstreams/{connections,eras,listing,output}')],
    leastPercent: 80,
  },
}
