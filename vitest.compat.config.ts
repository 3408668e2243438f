import { defineConfig } from 'vitest/config'

// A test that starts `portolan` as a client does would leave a gateway running in the background.
process.env['PORTOLAN_ALONE'] = '1'

/** Installs some fifty published servers: a command of its own, `npm run test:compat`. */
export default defineConfig({
  test: {
    name: 'compat',
    include: ['test/compat/**/*.test.ts'],
    maxConcurrency: 4,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    retry: 1,
  },
})
