/**
 * Runs the sign-in scenarios of the official suite with the gateway as the client (`npm run test:auth`):
 * Portolan stands in front of the suite's server, and a driver plays the person with a browser.
 * `tsx test/conformance/run-auth.ts [2026-07-28] [auth/scope-step-up …]`
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { installSuite } from './suite.ts'

const BOTH = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
]
/** Not required by any revision. */
const EXTENSIONS = ['client-credentials-basic', 'client-credentials-jwt']
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': BOTH,
  '2026-07-28': [
    ...BOTH,
    'resource-mismatch',
    'offline-access-scope',
    'offline-access-not-supported',
    'authorization-server-migration',
    'iss-supported',
    'iss-not-advertised',
    'iss-supported-missing',
    'iss-wrong-issuer',
    'iss-unexpected',
    'iss-normalized',
    'metadata-issuer-mismatch',
    ...EXTENSIONS,
  ],
}
const ANSWER_MS = 120_000
const DRIVER = join(import.meta.dirname, 'auth-driver.ts')

async function run(revision: string, scenario: string): Promise<{ passed: boolean; said: string }> {
  const { node, program } = await installSuite()
  const command = `${process.execPath} --import tsx ${DRIVER}`
  const args = [program, 'client', '--command', command, '--scenario', scenario]
  args.push('--spec-version', revision, '--timeout', String(ANSWER_MS), '--force')
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 << 20, timeout: ANSWER_MS + 30_000 }
    execFile(node, args, options, (error, stdout, stderr) => {
      const output = stdout + stderr
      const [, failed = '?', warnings = '?'] = /(\d+) failed, (\d+) warnings/.exec(output) ?? []
      const wrong = output.split('\n').filter((line) => /FAILURE|WARNING/.test(line))
      const passed = !error && failed === '0' && warnings === '0'
      resolve({ passed, said: wrong.join('\n') || output.slice(-1_500) })
    })
  })
}

const only = process.argv.slice(2)
const chosen = Object.entries(SCENARIOS).flatMap(([revision, names]) =>
  names.map((name) => ({ revision, scenario: `auth/${name}` })),
)
const wanted = chosen.filter(({ revision, scenario }) =>
  only.every((word) => (word.startsWith('20') ? word === revision : scenario === word)),
)
const failures: string[] = []
for (const { revision, scenario } of wanted) {
  const { passed, said } = await run(revision, scenario)
  process.stdout.write(`${passed ? '✓' : '✗'} ${revision} ${scenario}\n`)
  if (passed) continue
  failures.push(`${revision} ${scenario}`)
  process.stdout.write(`${said}\n`)
}
const result = { scenarios: wanted.length, passed: wanted.length - failures.length, failures }
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`)
process.exitCode = failures.length > 0 ? 1 : 0
