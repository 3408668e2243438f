import { aClient } from '../support/a-call.ts'
import { type Effects, effect } from './effect.ts'
import { openToy } from './open-toy.ts'

const HER = { agent: 'ada' }

/** A toolset that this agent has where it asks for none. */
const few = (more: object = {}) =>
  JSON.stringify({ few: { tools: ['toy.echo', 'toy.rows'], defaultFor: ['ada'], ...more } })

async function offersCount(env: Record<string, string>) {
  const { list } = await openToy(env)
  return (await list({ ...HER, surface: 'direct' })).includes('count')
}

/** Toolsets of the settings. */
export const TOOLSETS: Effects = {
  toolsets: effect(few(), offersCount, [true, false]),
  'toolsets.<id>.tools': effect(few(), offersCount, [true, false]),
  'toolsets.<id>.defaultFor': effect(few(), offersCount, [true, false]),
  'toolsets.<id>.surface': effect(
    few({ surface: 'direct' }),
    async (env) => (await (await openToy(env)).list(HER)).includes('find_tools'),
    [true, false],
  ),
  'toolsets.<id>.budget': effect(
    few({ budget: 200 }),
    async (env) => {
      const text = await (await openToy(env)).call('toy__rows', {}, HER)
      return text.includes('row 50') ? 'all' : 'a part'
    },
    ['all', 'a part'],
  ),
  'toolsets.<id>.instructions': effect(
    few({ instructions: 'Paint first.' }),
    async (env) => {
      const { app } = await openToy(env)
      const caller = { transport: 'stdio', credential: undefined, claimedAgent: 'ada' } as const
      return (
        (await app.backend.instructions({ caller, client: aClient() }, 'direct'))?.includes(
          'Paint first.',
        ) ?? false
      )
    },
    [false, true],
  ),
}
