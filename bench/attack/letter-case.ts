import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'
import { bearing, clientOf, createUser } from './users.ts'

const RULES = {
  agents: { 'tom@team.example': { deny: { servers: ['vault'] } } },
  groups: {
    everybody: { match: { user: '*' }, allow: { servers: ['*'] } },
    partners: { match: { user: '*@partner.example' }, deny: { servers: ['vault'] } },
    contractors: {
      match: { claim: 'groups', any: ['contractors', 'straßenbau'] },
      deny: { tools: { vault: ['secret'] } },
    },
  },
  defaults: { deny_on_missing_agent: true },
}

/** Names of people and groups in other letters than those of the rules that deny them something. */
const DENIED: readonly (readonly [user: string, groups: string])[] = [
  ['eve@partner.example', ''],
  ['eve@PARTNER.example', ''],
  ['EVE@partner.Example', ''],
  ['eve2@PARTNER.EXAMPLE', ''],
  ['tom@team.example', ''],
  ['Tom@team.example', ''],
  ['TOM@TEAM.EXAMPLE', ''],
  ['ida@team.example', 'contractors'],
  ['ina@team.example', 'Contractors'],
  ['ivy@team.example', 'CONTRACTORS'],
  ['una@team.example', 'STRASSENBAU'],
  ['uta@team.example', 'contractorſ'],
]

/** People who escape a denial because their provider writes their name in other letters. */
export const letterCase: Attack = {
  name: 'letter case',
  async run(field) {
    const rig = await Rig.open({
      servers: { vault: hostile(), open: hostile() },
      rules: RULES,
      settings: { auth: { required: true, server: { enabled: true } } },
    })
    const call = async (user: string, tool: string) => {
      const { tokens } = await clientOf(rig, user)
      return rig.call(tool, {}, bearing(tokens.access_token))
    }
    try {
      createUser(rig, 'ada@team.example')
      await field.try('somebody else may', async () =>
        (await call('ada@team.example', 'vault__secret')).includes('TOPSECRET'),
      )
      for (const [user, groups] of DENIED) {
        createUser(rig, user, '--groups', groups)
        await field.try(
          `${user} in [${groups}] calls what they may not`,
          async () => !(await call(user, 'vault__secret')).includes('TOPSECRET'),
        )
      }
      await field.try('they may use the rest', async () =>
        (await call('eve@PARTNER.example', 'open__secret')).includes('TOPSECRET'),
      )
    } finally {
      await rig.discard()
    }
  },
}
