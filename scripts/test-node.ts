/**
 * Runs tests on another version of Node.js, which npm has as a package for each platform.
 *
 *     npm run test:node -- 24                     unit, process and end-to-end tests
 *     npm run test:node -- 22 --project unit      as vitest's own options say
 */
import { spawnSync } from 'node:child_process'
import { delimiter, dirname, resolve } from 'node:path'
import { installClient } from '../test/support/install-client.ts'

const DEFAULT = ['--project', 'unit', '--project', 'process', '--project', 'e2e']

const [major = '', ...rest] = process.argv.slice(2)
if (!/^\d+$/.test(major)) throw new Error('Say which version: npm run test:node -- 24')
const platform = process.platform === 'win32' ? 'win' : process.platform
const node = await installClient(`node-${platform}-${process.arch}@${major}`, 'node')
const vitest = resolve(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
const { status } = spawnSync(node, [vitest, 'run', ...(rest.length > 0 ? rest : DEFAULT)], {
  stdio: 'inherit',
  // For the programs that tests start by name.
  env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` },
})
process.exitCode = status ?? 1
