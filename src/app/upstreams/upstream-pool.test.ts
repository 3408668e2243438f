import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { loadConfig } from '../../config/load.ts'
import { trustEverything } from '../../config/trust/trust-list.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import { createLog } from '../../telemetry/log.ts'
import { openService } from '../builtins/open-service.ts'
import { createPeople } from './people.ts'
import { type OpenService, type PoolUser, UpstreamPool } from './upstream-pool.ts'

const nothing = () => undefined

function aUser(path: string, { id, ...env }: Record<string, string> = {}): PoolUser {
  return {
    id,
    place: { cwd: path, env },
    project: async () => ({ path, source: 'cwd' }),
    onNotification: nothing,
    rebuild: nothing,
  }
}

function aPool(home: string, open: OpenService = openService) {
  const secrets = new SecretValues()
  const people = createPeople(openVault(home, {}), { secrets, onSignedIn: nothing })
  const log = createLog({ level: 'error' })
  return { people, pool: new UpstreamPool({ log, openService: open, secrets, people }) }
}

it('replaces the built-ins when the embedding changes, and no other server', () => {
  const folder = tempFolder()
  folder.write('.portolan/mcp.json', { mcpServers: { other: { command: 'x' } } })
  const configWith = (embedding: object) => {
    folder.write('.portolan/portolan.yaml', { builtins: { knowledge: true }, embedding })
    return loadConfig({ cwd: folder.path, env: { HOME: folder.path } })
  }
  const { pool } = aPool(folder.path)
  const user = aUser(folder.path)
  onTestFinished(async () => pool.release(user))
  const first = configWith({ provider: 'none' })
  const [other, knowledge] = pool.adopt(user, first)
  expect(pool.adopt(user, first)).toEqual([other, knowledge])
  const second = { ...configWith({ provider: 'builtin' }), servers: first.servers }
  const [sameOther, newKnowledge] = pool.adopt(user, second)
  expect(sameOther).toBe(other)
  expect(newKnowledge).not.toBe(knowledge)
})

it('replaces what uses a secret of a helper when a helper changes, and gives APIs their secrets', async () => {
  const folder = tempFolder()
  const api = { openapi: 'https://api.example/openapi.json', auth: { token: '${mine:k}' } }
  folder.write('.portolan/mcp.json', { mcpServers: { api, other: { command: 'x' } } })
  const configWith = (word: string) => {
    const helpers = { mine: [process.execPath, '-p', `"${word} {ref}"`] }
    folder.write('.portolan/portolan.yaml', { secrets: { helpers } })
    return loadConfig({ cwd: folder.path, env: { HOME: folder.path } })
  }
  const opened: unknown[] = []
  const { pool } = aPool(folder.path, async (server) => {
    opened.push(server.kind === 'openapi' && server.extra['auth'])
    throw new Error('only looked at')
  })
  const user = aUser(folder.path)
  onTestFinished(async () => pool.release(user))
  const first = configWith('one')
  const [before, other] = pool.adopt(user, first)
  await before?.list().catch(nothing)
  const [after, sameOther] = pool.adopt(user, { ...configWith('two'), servers: first.servers })
  await after?.list().catch(nothing)
  expect(opened).toEqual([{ token: 'one k' }, { token: 'two k' }])
  expect(after).not.toBe(before)
  expect(sameOther).toBe(other)
})

/** Whether two folders share the server of this entry. */
function share(entry: object, one: Record<string, string> = {}, other = one): boolean {
  const home = tempFolder()
  const { pool } = aPool(home.path)
  const users = [one, other].map((env, n) => {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { it: entry } })
    const load = { cwd: folder.path, env: { HOME: home.path, ...env }, trust: trustEverything }
    const user = aUser(folder.path, { id: `${n}`, ...env })
    onTestFinished(async () => pool.release(user))
    const config = loadConfig(load)
    expect(pool.adopt(user, config).map(({ name }) => name)).toContain('it')
    return { user, config }
  })
  const [first] = users
  if (!first) throw new Error('there are two')
  pool.adopt(first.user, { ...first.config, servers: new Map() })
  // What the other folder goes on using is left to it.
  return pool.leftBy(first.user).some(({ name }) => name === 'it')
}

describe('two folders', () => {
  const program = { command: 'x', env: { TOKEN: '${TOKEN:-none}' }, cwd: '/' }

  it.each([
    ['a program with equal variables', program, [{ TOKEN: 'a' }, { TOKEN: 'a' }]],
    ['a server at a URL', { url: 'https://a.example/mcp' }, [{}, {}]],
  ])('share %s', (_, entry, [one, other]) => {
    expect(share(entry, one, other)).toBe(true)
  })

  it.each([
    ['a program with another value', program, [{ TOKEN: 'a' }, { TOKEN: 'b' }]],
    ['a program that runs in its folder', { command: 'x' }, [{}, {}]],
    ['a server at another URL', { url: 'https://${HOST}/' }, [{ HOST: 'a' }, { HOST: 'b' }]],
    ['a built-in, which reads its folder itself', { builtin: 'code' }, [{}, {}]],
  ])('have %s each', (_, entry, [one, other]) => {
    expect(share(entry, one, other)).toBe(false)
  })

  it('share a program where its command means the same file', () => {
    const [bin, other] = [tempFolder(), tempFolder()]
    for (const { path } of [bin, other]) writeFileSync(join(path, 'tool'), '', { mode: 0o755 })
    const entry = { command: 'tool', cwd: '/' }
    const nowhere = `/nowhere${delimiter}${bin.path}`
    expect(share(entry, { PATH: bin.path }, { PATH: nowhere })).toBe(true)
    expect(share(entry, { PATH: bin.path }, { PATH: other.path })).toBe(false)
  })
})

it('two servers of one name have a sign-in each', () => {
  const [one, other] = ['https://a.example/', 'https://b.example/'].map((url) => ({
    mcpServers: { mail: { url } },
  }))
  const home = tempFolder()
  const { pool, people } = aPool(home.path)
  for (const entries of [one, other]) {
    const folder = tempFolder()
    folder.write('.mcp.json', entries)
    const load = { cwd: folder.path, env: { HOME: home.path }, trust: trustEverything }
    const user = aUser(folder.path, { id: folder.path })
    onTestFinished(async () => pool.release(user))
    pool.adopt(user, loadConfig(load))
  }
  expect([...people.signIns.servers].map(([name, { url }]) => [name, url])).toEqual([
    ['mail', 'https://a.example/'],
    ['mail (https://b.example/)', 'https://b.example/'],
  ])
})
