import { expect, it } from 'vitest'
import type { GroupMatch } from './rules.ts'
import { createPolicy } from './policy.ts'

const eve = (user: string) => ({ id: user, person: { user, groups: ['Contractors'] } })
const NO_VAULT = { deny: { servers: ['vault'] } }
const ofGroup = (match: GroupMatch) =>
  createPolicy({
    agents: {},
    groups: {
      all: { match: { user: '*' }, allow: { servers: ['*'] } },
      few: { match, ...NO_VAULT },
    },
    denyOnMissingAgent: true,
  })

it('denies a person whatever the case of their name', () => {
  const ofAgent = createPolicy({
    agents: { 'eve@partner.example': NO_VAULT },
    groups: { all: { match: { user: '*' }, allow: { servers: ['*'] } } },
    denyOnMissingAgent: true,
  })
  const narrowed = createPolicy(undefined, {
    denials: { agents: { 'Eve@partner.example': NO_VAULT } },
  })
  for (const policy of [
    ofGroup({ user: '*@partner.example' }),
    ofGroup({ claim: 'groups', any: ['contractors'] }),
    ofAgent,
    narrowed,
  ])
    for (const name of ['eve@partner.example', 'eve@PARTNER.example', 'EVE@partner.Example']) {
      expect(policy.tool(eve(name), 'vault', 'read').effect).toBe('deny')
      expect(policy.tool(eve(name), 'wiki', 'read').effect).toBe('allow')
    }
})
