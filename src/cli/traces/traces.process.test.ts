import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Command } from '../shared/commander.ts'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { startTracesServer } from '../../../test/support/start-traces-server.ts'
import { aTracesService } from '../../../test/support/a-traces-service.ts'
import { aTrace } from '../../../test/support/traces-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { fullPath } from './connect-traces.ts'
import { ADMIN_OPERATIONS, OPERATIONS } from './operations.ts'
import { OWNER_LISTS, OWNER_OPERATIONS } from './owner-operations.ts'
import { registerTraces } from './index.ts'

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
    expect(seeded).toMatchObject({ code: 0, stdout: '70 imported, 0 already there, 0 refused\n' })
    const again = await traces(['seed'])
    expect(again.stdout).toBe('0 imported, 70 already there, 0 refused\n')

    const found = await traces(['search', 'database', 'is', 'locked', '--limit', '1'])
    expect(found.stdout).toMatch(/SQLite: 'database is locked' with several writers/)
    const tagged = await traces(['search', '-t', 'rust', '--json'])
    expect(JSON.parse(tagged.stdout).total).toBe(2)

    const missing = await traces(['get', '11111111-1111-4111-8111-111111111111'])
    expect(missing).toMatchObject({
      code: 1,
      stderr:
        'Trace not found (HTTP 404)\nLook for it with `portolan traces search` or `portolan traces list`.\n',
    })
  },
)

it('contributes, and names the command that backs up', async () => {
  const { title, context_text, solution_text } = aTrace()
  const told = [
    ['--title', String(title)],
    ['--context', String(context_text)],
    ['--solution', String(solution_text)],
    ['--metadata', '{"language":"go"}'],
  ]
  const contributed = await traces(['contribute', ...told.flat(), '-t', 'told', '--json'])
  const { id } = JSON.parse(contributed.stdout)
  expect((await traces(['get', id])).stdout).toContain(title)
  const moved = await traces(['backup', 'traces.gz'])
  expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining('no "portolan traces')])
})

it('shows the ten commands that people use, and the others under admin and where they were', async () => {
  const program = new Command('portolan')
  registerTraces(program)
  const [group] = program.commands
  const shown = group
    ?.createHelp()
    .visibleCommands(group)
    .map((command) => command.name())
  expect(shown?.join(' ')).toBe(
    'search list get contribute vote amend import seed serve mcp admin help',
  )
  const [before, now] = [await traces(['tags']), await traces(['admin', 'tags'])]
  expect([now.code, now.stdout]).toEqual([0, before.stdout])
})

it('imports a file of lines and reports what it refused', async () => {
  const file = join(folder.path, 'some.jsonl')
  const good = { ...aTrace(), tags: ['jsonl'] }
  const placeholder = { title: 'Untitled', context: 'N/A', solution: 'done' }
  await writeFile(file, `${JSON.stringify(good)}\n${JSON.stringify(placeholder)}\n`)
  const { code, stdout, stderr } = await traces(['import', file])
  expect([code, stdout]).toEqual([1, '1 imported, 0 already there, 1 refused\n'])
  expect(stderr).toMatch(/^- Untitled: Content rejected/)
})

it(
  'serves the API over HTTP, and is used from elsewhere by PORTOLAN_TRACES_URL',
  { timeout: 30_000 },
  async () => {
    const server = await startTracesServer({ home: join(folder.path, 'served') })
    const { url } = server
    const registered = await traces(['register', '--email', 'me@example.com', '--json'], {
      PORTOLAN_TRACES_URL: url,
    })
    const key = JSON.parse(registered.stdout).api_key
    const verified = await traces(['verify'], {
      PORTOLAN_TRACES_URL: url,
      COMMONTRACE_API_KEY: key,
    })
    expect(verified.stdout).toMatch(/^valid: true\nuser id: [\w-]+\n$/)
    const keyless = await traces(['tags'], { PORTOLAN_TRACES_URL: url })
    expect([keyless.code, keyless.stderr]).toEqual([
      1,
      expect.stringMatching(/HTTP 401.*\nSet COMMONTRACE_API_KEY/),
    ])
    expect(await server.end('SIGTERM')).toBe(0)
  },
)

it('has a command for every route of the API', async () => {
  const { body } = await (await aTracesService()).request('GET', '/openapi.json')
  const routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const reached = [...OPERATIONS, ...ADMIN_OPERATIONS, ...OWNER_OPERATIONS, ...OWNER_LISTS].flatMap(
    (operation) => {
      const { command, choice } = operation
      const values = choice && !command.includes('<') ? choice[1] : ['{id}']
      return values.map((value) => {
        const { method, path } = operation.toRequest([value, '0', '0'], {})
        return `${method} ${fullPath(path).split('?')[0]}`
      })
    },
  )
  expect(routes.filter((route) => !reached.includes(route))).toEqual([])
})

it('says what an option that is no JSON should look like, and what a word may be', async () => {
  const bad = await traces(['search', 'x', '--where', 'go'])
  expect(bad.stderr).toContain('--where is not JSON: go')
  const unknown = await traces(['vote', 'x', 'sideways'])
  expect(unknown.stderr).toMatch(/Allowed choices are up, down/)
})

it(
  'gives the owner the reports, and says which token is missing',
  { timeout: 30_000 },
  async () => {
    const closed = await traces(['admin', 'totals'])
    expect([closed.code, closed.stderr]).toEqual([
      1,
      expect.stringContaining('Set PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN'),
    ])
    const owner = { PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN: 'owner' }
    expect((await traces(['admin', 'totals'], owner)).stdout).toMatch(/^\w[\w ]*: \d+$/m)
    const users = JSON.parse((await traces(['admin', 'users', '-l', '5', '--json'], owner)).stdout)
    const [{ id }] = users.users
    expect((await traces(['user', id], owner)).stdout).toContain(id)
    expect((await traces(['admin', 'founding-invitations', '--count', '2'], owner)).stdout).toMatch(
      /codes: ctinv_\S+, ctinv_/,
    )
    const flagged = await traces(['flagged'])
    expect(flagged.stderr).toMatch(/HTTP 403.*\nThe owner makes moderators/)
    const wrong = await traces(['get', 'nonsense'])
    expect(wrong.stderr).toMatch(/HTTP 422.*\nSee what it takes: portolan traces get --help/)
    const away = await traces(['tags'], { PORTOLAN_TRACES_URL: 'http://127.0.0.1:1' })
    expect(away.stderr).toContain('The traces service does not answer')
    expect((await traces(['health'])).stdout).toMatch(/^status: ok/)
  },
)

/** The status of asking for a key with these headers, which `fetch` would not send. */
async function askForKey(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const sent = request(`${url}/api/v1/keys`, options, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end('{}')
  })
}

it('refuses pages of other sites and unknown host names, unless they are allowed', async () => {
  const place = { home: folder.path }
  const env = {
    PUBLIC_URL: 'https://traces.example',
    PORTOLAN_TRACES_ALLOWED_HOSTS: 'other.example',
    CORS_ORIGINS: 'https://app.example',
  }
  const server = await startTracesServer(place, { env })
  onTestFinished(async () => void (await server.end('SIGTERM')))
  const statusOf = async (headers: Record<string, string>) => askForKey(server.url, headers)
  for (const headers of [
    { host: 'evil.example' },
    { host: '127.0.0.1.evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])
    expect({ headers, status: await statusOf(headers) }).toEqual({ headers, status: 403 })
  for (const headers of [
    {},
    { host: 'localhost' },
    { host: 'traces.example' },
    { host: 'other.example' },
    { origin: 'https://app.example' },
    { origin: 'https://traces.example' },
  ])
    expect({ headers, status: await statusOf(headers) }).toEqual({ headers, status: 201 })
})
