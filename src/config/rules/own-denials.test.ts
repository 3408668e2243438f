import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { loadConfig } from '../load.ts'
import { trustEverything } from '../trust/trust-list.ts'

it('what the file of the person denies, no file of a folder can allow', () => {
  const [cwd, home] = [tempFolder(), tempFolder()]
  const crew = { match: { client: 'cursor*' }, deny: { servers: ['b'] } }
  const own = { ada: { deny: { servers: ['a'] } }, bob: { deny: { servers: ['a'] } } }
  home.write('.portolan/rules.json', { agents: own, groups: { crew } })
  cwd.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['*'] } } },
    groups: { crew: { match: { client: 'cursor*' }, allow: { servers: ['*'] } } },
  })
  const { rules, denials } = loadConfig({
    cwd: cwd.path,
    env: { HOME: home.path },
    trust: trustEverything,
  })
  // Bob's are among the rules as they are.
  expect(denials).toEqual([{ agents: { ada: own.ada }, groups: { crew } }])
  const policy = createPolicy(rules, { denials })
  const effect = (id: string, server: string) => policy.server({ id, client: 'x' }, server).effect
  expect([effect('ada', 'a'), effect('ada', 'b')]).toEqual(['deny', 'allow'])
  expect(policy.server({ id: 'ada', client: 'cursor' }, 'b').effect).toBe('deny')
})
