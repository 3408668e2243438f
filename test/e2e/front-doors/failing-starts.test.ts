import { type Server, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { runBuilt } from '../../support/run-built.ts'
import { fill, folderWithDisk } from '../../support/small-disk.ts'
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
  /** Returns false if this user cannot make it happen. */
  readonly prepare?: (folder: TempFolder) => unknown
  readonly variables?: () => Promise<Record<string, string>>
  readonly env?: Record<string, string>
  /** What happened, and the next step. */
  readonly says: RegExp
}

/** A program that has a port and says nothing to whoever connects. */
async function silentPort(): Promise<string> {
  const server: Server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return String(typeof address === 'object' ? address?.port : '')
}

const NOBODY = 'postgres://127.0.0.1:9/none'
const CAUSES: readonly Cause[] = [
  {
    why: 'another program has the port',
    commands: [
      ['serve'],
      ['traces', 'serve', '--port', '0'],
      ...ALONE.map((command) => [...command, '--transport', 'http']),
    ],
    variables: async () => ({ MCP_PORT: await silentPort() }),
    says: /^ERROR: Port \d+ is in use on 127\.0\.0\.1\. Stop the program that uses it, or choose /,
  },
  {
    why: 'the port is none',
    commands: ALONE.map((command) => [...command, '--transport', 'http', '--port', '99999']),
    says: /^ERROR: option .*'99999' is invalid\. It must be a whole number from 0 to 65535\.\nAdd --help /,
  },
  {
    why: 'the settings are a folder',
    commands: EVERY,
    prepare: (folder) => folder.write('data/portolan.yaml/inside', ''),
    says: /^ERROR: .*portolan\.yaml: cannot be read: it is not a plain file.*\nCorrect this; /,
  },
  {
    why: 'PostgreSQL accepts connections and says nothing',
    commands: [GATEWAY, ...STORES],
    variables: async () => ({
      PORTOLAN_DATABASE_URL: `postgres://127.0.0.1:${await silentPort()}/none`,
      PORTOLAN_DATABASE_WAIT_MS: '0',
    }),
    says: /ERROR: .*PORTOLAN_DATABASE_URL .*not answer: .*timeout\. Start PostgreSQL, correct /,
  },
  {
    why: 'the disk is full',
    commands: STORES,
    prepare: (folder) => folderWithDisk('64k', folder) !== undefined && fill(folder),
    says: /^ERROR: database or disk is full\. The disk is full: free some space, or choose /,
  },
  {
    why: 'the data folder is a file',
    commands: EVERY,
    prepare: (folder) => folder.write('data', 'a file'),
    says: /^ERROR: E[A-Z]+: .*data.* Check the path, and who may read and write there\.$/,
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
  if ((await cause.prepare?.(folder)) === false) return
  const env = { ...cause.env, ...(await cause.variables?.()) }
  const { code, stderr } = await runBuilt(folder, command, env)
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(cause.says, 'm'))
  expect(stderr).not.toMatch(/^ +at /m)
  const lines = stderr.trim().split('\n')
  const report = lines.slice(lines.findIndex((line) => line.startsWith('ERROR: ')))
  expect(report.length).toBeLessThanOrEqual(3)
})
