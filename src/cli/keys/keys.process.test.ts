import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createFileKeyStore } from '../../identity/file-key-store.ts'
import { createHandles } from '../../identity/handles.ts'

it('prints a new secret once, on stdout alone, and revokes the key by its id', async () => {
  const folder = tempFolder()
  const created = await runCli(folder, ['keys', 'create', 'ada', '--expires', '30d'])
  const secret = created.stdout.trim()
  expect(created.stderr).not.toContain(secret)
  const store = createFileKeyStore(folder.file('data/keys.json'))
  const key = await store.find(secret)
  expect(key).toMatchObject({ agent: 'ada', expiresAt: expect.any(Number) })
  expect(statSync(folder.file('data/keys.json')).mode & 0o777).toBe(0o600)

  const id = key?.id ?? ''
  const listed = await runCli(folder, ['keys', 'list', '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, agent: 'ada', revoked_at: null }])
  expect(listed.stdout).not.toContain(secret)

  expect((await runCli(folder, ['keys', 'revoke', id])).code).toBe(0)
  expect(store.find(secret)).toMatchObject({ revokedAt: expect.any(Number) })
})

it('gives a key a role for the dashboard where one is asked for', async () => {
  const folder = tempFolder()
  const { stdout, stderr } = await runCli(folder, ['keys', 'create', 'ada', '--role', 'viewer'])
  await runCli(folder, ['keys', 'create', 'bob'])
  expect(stderr).toContain('with the role viewer')
  const store = createFileKeyStore(folder.file('data/keys.json'))
  expect(await store.find(stdout.trim())).toMatchObject({ agent: 'ada', role: 'viewer' })
  const listed = await runCli(folder, ['keys', 'list', '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject([{ role: 'viewer' }, { role: 'agent' }])
  const refused = await runCli(folder, ['keys', 'create', 'eve', '--role', 'root'])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
})

it('warns about an agent that neither an agent nor a group of the rules names', async () => {
  const folder = tempFolder()
  folder.write('data/rules.json', {
    agents: { ada: {} },
    groups: { crew: { match: { agent: 'crew-*' }, allow: { servers: ['*'] } } },
  })
  const create = async (agent: string) => runCli(folder, ['keys', 'create', agent])
  expect((await create('crew-1')).stderr).not.toContain('Note')
  expect((await create('ada')).stderr).not.toContain('Note')
  expect((await create('stranger')).stderr).toContain('It may use nothing.')
})

it('refuses an agent id that no rule could name', async () => {
  const { code, stdout, stderr } = await runCli(tempFolder(), ['keys', 'create', 'a b'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('ERROR: "a b" is not an agent id')
})

it('mints a handle with fewer rights than its parent', async () => {
  const folder = tempFolder()
  const { stdout } = await runCli(folder, [
    'keys',
    'mint',
    'helper',
    '--parent',
    'lead',
    '--ttl',
    '5m',
    '--servers',
    'files',
    '--tools',
    'pg.query,pg.read_*',
  ])
  expect(createHandles(folder.file('data/handle-secret')).verify(stdout.trim())).toMatchObject({
    id: 'helper',
    ancestors: ['lead'],
    within: [{ servers: ['files', 'pg'], tools: { pg: ['query', 'read_*'] } }],
  })
})
