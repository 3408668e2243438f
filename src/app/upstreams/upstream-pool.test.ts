import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { loadConfig } from '../../config/load.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import { createLog } from '../../telemetry/log.ts'
import { openService } from '../builtins/open-service.ts'
import { createPeople } from './people.ts'
import { UpstreamPool } from './upstream-pool.ts'

const nothing = () => undefined

it('replaces the built-ins when the embedding changes, and no other server', () => {
  const folder = tempFolder()
  folder.write('.portolan/mcp.json', { mcpServers: { other: { command: 'x' } } })
  const configWith = (embedding: object) => {
    folder.write('.portolan/portolan.yaml', { builtins: { knowledge: true }, embedding })
    return loadConfig({ cwd: folder.path, env: { HOME: folder.path } })
  }
  const secrets = new SecretValues()
  const vault = openVault(folder.path, {})
  const people = createPeople(vault, { secrets, onSignedIn: nothing })
  const pool = new UpstreamPool({
    log: createLog({ level: 'error' }),
    openService,
    project: async () => ({ path: folder.path, source: 'cwd' }),
    onNotification: nothing,
    secrets,
    people: () => people,
    env: {},
  })
  onTestFinished(async () => pool.close())
  const first = configWith({ provider: 'none' })
  const [other, knowledge] = pool.adopt(first)
  expect(pool.adopt(first)).toEqual([other, knowledge])
  const second = { ...configWith({ provider: 'builtin' }), servers: first.servers }
  const [sameOther, newKnowledge] = pool.adopt(second)
  expect(sameOther).toBe(other)
  expect(newKnowledge).not.toBe(knowledge)
})
