import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../../config/load.ts'
import { trustEverything } from '../../config/trust/trust-list.ts'
import { definitionCosts } from './probe-servers.ts'

it('does not count definitions of tools that any rule in force denies to the agent', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { code: { builtin: 'code' } } })
  folder.write('.mcp-gateway-rules.json', { agents: { ada: { allow: { servers: ['*'] } } } })
  const place = { cwd: folder.path, env: { HOME: folder.path } }
  const config = loadConfig({ ...place, trust: trustEverything })
  const costOf = async (more: Partial<typeof config>) =>
    (await definitionCosts({ ...config, ...more })).of({ id: 'ada' })

  expect(await costOf({})).toBeGreaterThan(100)
  expect(await costOf({ denials: [ada({ deny: { servers: ['code'] } })] })).toBe(0)
  expect(await costOf({ changedRules: ada({ allow: { servers: ['other'] } }) })).toBe(0)
})

function ada(rules: object) {
  return { agents: { ada: rules }, denyOnMissingAgent: false }
}
