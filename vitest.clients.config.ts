import { defineConfig } from 'vitest/config'

// A test that starts `portolan` as a client does would leave a gateway running in the background.
process.env['PORTOLAN_ALONE'] = '1'

/** Real clients from npm: two gigabytes that are installed once, so not part of `npm test`. */
export default defineConfig({
  test: {
    name: 'clients',
    include: ['test/clients/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    maxWorkers: 1,
  },
})
