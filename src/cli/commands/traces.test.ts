import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startTracesServer } from '../../../test/support/start-traces-server.ts'
import { aTrace } from '../../../test/support/traces-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { registerTraces } from './traces.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterEach(() => {
  process.exitCode = undefined
})
afterAll(async () => folder.remove())

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command line as the program would, and gives what it printed. */
async function traces(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const printed = { stdout: '', stderr: '' }
  vi.stubEnv('PORTOLAN_HOME', folder.path)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.stdout += String(text)
    return true
  })
  vi.spyOn(console, 'error').mockImplementation((...parts) => {
    printed.stderr += `${parts.join(' ')}\n`
  })
  process.exitCode = 0
  const program = new Command('portolan').exitOverride()
  registerTraces(program)
  try {
    await program.parseAsync(['traces', ...args], { from: 'user' })
  } catch (error) {
    return { ...printed, code: 1, stderr: String(error) }
  } finally {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  }
  return { ...printed, code: process.exitCode }
}

it(
  'imports the starter set once, finds in it, and says what is wrong',
  { timeout: 30_000 },
  async () => {
    const seeded = await traces(['seed'])
    expect(seeded).toMatchObject({ code: 0, stdout: '70 imported, 0 there already, 0 refused\n' })
    const again = await traces(['seed'])
    expect(again.stdout).toBe('0 imported, 70 there already, 0 refused\n')

    const found = await traces(['search', 'database', 'is', 'locked', '--limit', '1'])
    expect(found.stdout).toMatch(/SQLite: 'database is locked' with several writers/)
    const tagged = await traces(['search', '-t', 'rust', '--json'])
    expect(JSON.parse(tagged.stdout).total).toBe(2)

    const missing = await traces(['get', '11111111-1111-4111-8111-111111111111'])
    expect(missing).toMatchObject({ code: 1, stderr: 'Trace not found (HTTP 404)\n' })
  },
)

it(
  'contributes, backs up, restores elsewhere, and refuses a full database',
  { timeout: 30_000 },
  async () => {
    const { title, context_text, solution_text } = aTrace()
    const args = [
      '--title',
      String(title),
      '--context',
      String(context_text),
      '--solution',
      String(solution_text),
    ]
    const contributed = await traces([
      'contribute',
      ...args,
      '-t',
      'backup-test',
      '--metadata',
      '{"language":"go"}',
    ])
    expect(JSON.parse(contributed.stdout)).toMatchObject({ status: 'pending' })
    const file = join(folder.path, 'backup.gz')
    expect((await traces(['backup', file])).stdout).toMatch(/\d+ rows of \d+ tables/)
    const refused = await traces(['restore', file])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/already holds data/)])
    const elsewhere = { PORTOLAN_HOME: join(folder.path, 'restored') }
    expect((await traces(['restore', file], elsewhere)).code).toBe(0)
    const found = await traces(['search', '-t', 'backup-test', '--json'], elsewhere)
    expect(JSON.parse(found.stdout).results[0].title).toBe(title)
  },
)

it('imports a file of lines and reports what it refused', { timeout: 30_000 }, async () => {
  const file = join(folder.path, 'some.jsonl')
  const good = { ...aTrace(), tags: ['jsonl'] }
  const husk = { title: 'Untitled', context: 'N/A', solution: 'done' }
  await writeFile(file, `${JSON.stringify(good)}\n${JSON.stringify(husk)}\n`)
  const { code, stdout, stderr } = await traces(['import', file])
  expect([code, stdout]).toEqual([1, '1 imported, 0 there already, 1 refused\n'])
  expect(stderr).toMatch(/^- Untitled: Content rejected/)
})

it(
  'serves the API over HTTP, and is used from elsewhere by API_BASE_URL',
  { timeout: 30_000 },
  async () => {
    const server = await startTracesServer({ home: join(folder.path, 'served') })
    const { url } = server
    const registered = await traces(['register', '--email', 'me@example.com'], {
      API_BASE_URL: url,
    })
    const key = JSON.parse(registered.stdout).api_key
    const verified = await traces(['verify'], { API_BASE_URL: url, COMMONTRACE_API_KEY: key })
    expect(JSON.parse(verified.stdout)).toMatchObject({ valid: true })
    expect(await server.end('SIGTERM')).toBe(0)
  },
)
