import { expect, it } from 'vitest'
import { runBuilt } from '../../support/run-built.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

const GATEWAY = ['serve', '--port', '0']
const ALONE = [
  ['traces', 'mcp'],
  ['code', 'mcp'],
  ['knowledge', 'mcp'],
  ['api', 'nsip'],
]
const HTTP = ['--transport', 'http', '--port', '0']
const EVERY = [GATEWAY, ...ALONE]
const STORES = [
  ['traces', 'mcp'],
  ['traces', 'serve'],
  ['knowledge', 'mcp'],
]

interface Cause {
  readonly why: string
  readonly commands: readonly (readonly string[])[]
  readonly prepare?: (folder: TempFolder) => unknown
  readonly env?: Record<string, string>
  /** What happened, and the next step. */
  readonly says: RegExp
}

const NOBODY = 'postgres://127.0.0.1:9/none'
const CAUSES: readonly Cause[] = [
  {
    why: 'the data folder is a file',
    commands: EVERY,
    prepare: (folder) => folder.write('data', 'a file'),
    says: /^ERROR: E[A-Z]+: .*data.* Check the path, and who may write there\.$/,
  },
  {
    why: 'the settings have mistakes',
    commands: EVERY,
    prepare: (folder) => folder.write('data/portolan.yaml', 'listen: [\n'),
    says: /^ERROR: .*portolan\.yaml: is not valid YAML: .* line 2.*\nCorrect this; `portolan check` /,
  },
  {
    why: 'the address of Redis is none',
    commands: [GATEWAY],
    env: { PORTOLAN_REDIS_URL: 'nonsense' },
    says: /^ERROR: .*PORTOLAN_REDIS_URL: it must start with redis:\/\/ or /,
  },
  {
    why: 'PostgreSQL does not answer',
    commands: [GATEWAY, ...STORES],
    env: { PORTOLAN_DATABASE_URL: NOBODY, PORTOLAN_DATABASE_WAIT_MS: '0' },
    says: /ERROR: .*PORTOLAN_DATABASE_URL .*ECONNREFUSED.* Start PostgreSQL, correct /,
  },
  {
    why: 'the embedded database is damaged',
    commands: STORES,
    prepare: (folder) => folder.write('data/portolan.db', 'not a database '.repeat(99)),
    says: /ERROR: .*portolan\.db in .*data is damaged: file is not a database\. Move it away /,
  },
  {
    why: 'this machine does not have the address',
    commands: [GATEWAY, ...ALONE.map((command) => [...command, ...HTTP])].map((command) => [
      ...command,
      '--host',
      '192.0.2.1',
    ]),
    prepare: async (folder) => runBuilt(folder, ['keys', 'create', 'ada']),
    says: /ERROR: This machine has no address 192\.0\.2\.1.* Choose one that it has with --host/,
  },
]

it.each(
  CAUSES.flatMap((cause) => cause.commands.map((command) => [cause.why, command, cause] as const)),
)('says what happened and what to do next if %s: %j', async (_, command, cause) => {
  const folder = tempFolder()
  await cause.prepare?.(folder)
  const { code, stderr } = await runBuilt(folder, command, cause.env)
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(cause.says, 'm'))
  expect(stderr).not.toMatch(/^ +at /m)
  const lines = stderr.trim().split('\n')
  const report = lines.slice(lines.findIndex((line) => line.startsWith('ERROR: ')))
  expect(report.length).toBeLessThanOrEqual(3)
})
