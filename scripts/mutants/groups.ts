/** Files whose tests are measured together, and the share of mutants that these must notice. */
export interface Group {
  readonly mutate: readonly string[]
  /** The tests that may notice a mutant: near ones only, since each mutant runs all that cover it. */
  readonly tests: readonly string[]
  readonly leastPercent: number
}

const testsIn = (...folders: string[]) => folders.map((folder) => `src/${folder}/**/*.test.ts`)

export const GROUPS: Readonly<Record<string, Group>> = {
  gateway: {
    mutate: ['src/gateway/**/*.ts'],
    tests: testsIn('gateway'),
    leastPercent: 88,
  },
  identity: {
    mutate: ['src/identity/**/*.ts'],
    tests: testsIn('identity'),
    leastPercent: 88,
  },
  base: {
    mutate: ['src/base/**/{bucket,circuit,glob,json,net,secret-values,secrets}.ts'],
    tests: testsIn('base', 'gateway', 'telemetry/audit'),
    leastPercent: 88,
  },
  protocol: {
    mutate: ['src/protocol/**/*.ts'],
    tests: testsIn('protocol', 'upstreams/connections', 'fronts'),
    leastPercent: 80,
  },
  shaping: {
    mutate: ['src/shaping/**/*.ts'],
    tests: testsIn('shaping'),
    leastPercent: 80,
  },
  config: {
    mutate: ['src/config/**/*.ts'],
    tests: testsIn('config'),
    leastPercent: 80,
  },
  upstreams: {
    mutate: ['src/upstreams/*.ts', 'src/upstreams/{connections,listing,output}/*.ts'],
    tests: ['src/upstreams/*.test.ts', ...testsIn('upstreams/{connections,listing,output}')],
    leastPercent: 80,
  },
}
