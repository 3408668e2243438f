import { defineConfig } from 'vitest/config'

/** Tests with real processes, sockets and installs get a second try; the reporter names each that needed it. */
const retry = 1

/** What is waited for happens sooner or later; a busy machine makes it later. */
const expect = { poll: { timeout: 30_000 } }

// A test that starts `portolan` as a client does would leave a gateway running in the background.
process.env['PORTOLAN_ALONE'] = '1'

export default defineConfig({
  test: {
    // End-to-end tests wait half of their time: three of them keep two cores busy.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          expect,
          // Loading the same modules again for each file would cost more than the tests do.
          isolate: false,
          // Two shared cores: what takes a second alone may take ten beside the others.
          testTimeout: 120_000,
          hookTimeout: 300_000,
          include: [
            'src/**/*.test.ts',
            'packs/**/*.test.ts',
            'web/src/**/*.test.ts',
            'bench/**/*.test.ts',
            'test/*.test.ts',
          ],
          exclude: ['**/*.database.test.ts', '**/*.process.test.ts'],
        },
      },
      {
        test: {
          name: 'process',
          expect,
          retry,
          // Tests that start the built program, other programs or worker threads.
          include: ['{src,packs}/**/*.process.test.ts', 'test/*.process.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'database',
          expect,
          retry,
          include: [
            'src/**/*.database.test.ts',
            'test/database/**/*.test.ts',
            'test/journeys/**/*.database.test.ts',
          ],
          globalSetup: ['test/support/postgres-setup.ts', 'test/support/redis-setup.ts'],
          testTimeout: 120_000,
          // Making the Debian chroot, once per machine, takes a minute and a half.
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'e2e',
          expect,
          retry,
          include: [
            'test/e2e/**/*.test.ts',
            'test/journeys/**/*.test.ts',
            'test/docs/**/*.test.ts',
          ],
          exclude: ['**/*.database.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'browser',
          expect,
          retry,
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          // Debian's Chromium, where it is not there yet, takes half a minute to install.
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'package',
          expect,
          retry,
          include: ['test/package/**/*.test.ts'],
          // Installs the packed product, and other versions of Node to run it with.
          testTimeout: 120_000,
          hookTimeout: 420_000,
        },
      },
      {
        test: {
          name: 'conformance',
          expect,
          retry,
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
