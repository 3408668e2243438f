import { defineConfig } from 'vitest/config'

/** The unit tests near a group of files; `scripts/mutants/mutants.ts` names them. A mutant exists only in this process, so tests of child processes say nothing about it. */
export default defineConfig({
  test: {
    include: (process.env['MUTANTS_TESTS'] ?? 'src/gateway/**/*.test.ts').split(' '),
    exclude: ['**/*.database.test.ts'],
    setupFiles: ['scripts/mutants/few-runs.ts'],
    // Modules are loaded once, not once per test file and mutant: less than half the time.
    isolate: false,
    // A mutant that hangs is found by the test's own limit: Stryker's costs 15 s and a new worker.
    testTimeout: 5_000,
    hookTimeout: 10_000,
  },
})
