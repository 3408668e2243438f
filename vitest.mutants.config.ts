import { defineConfig } from 'vitest/config'
import CheapestFirst from './scripts/mutants/cheapest-first.ts'

/** The unit tests near a group of files; `scripts/mutants/mutants.ts` names them. A mutant exists only in this process, so tests of child processes say nothing about it. */
export default defineConfig({
  test: {
    include: (process.env['MUTANTS_TESTS'] ?? 'src/gateway/**/*.test.ts').split(' '),
    exclude: ['**/*.database.test.ts'],
    setupFiles: ['scripts/mutants/few-runs.ts'],
    runner: 'scripts/mutants/mutant-runner.ts',
    sequence: { sequencer: CheapestFirst },
    // One thread that loads each module once.
    isolate: false,
    pool: 'threads',
    maxWorkers: 1,
    // For the tests without any mutant; the runner allows less to those with one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
