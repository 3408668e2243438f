import { TASKS_EXTENSION } from '../../src/protocol/tasks.ts'
import { type Effects, beside, effect } from './effect.ts'
import { openToy } from './open-toy.ts'

const MODERN = {
  client: { era: 'modern', capabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
} as const

/** The answer to a call that takes a while, of a client that knows tasks. */
async function longCall(env: Record<string, string>) {
  const { request } = await openToy(env)
  return request('tools/call', { name: 'toy__wait', arguments: { ms: 300 } }, MODERN)
}

/** The section `tasks`. */
export const TASKS: Effects = {
  'tasks.wait': effect('false', async (env) => (await openToy(env)).call('toy__job'), [
    'of a task',
    'without a task',
  ]),
  'tasks.offerAfterMs': effect(
    '20',
    async (env) => (await longCall(env))['resultType'] ?? 'the result',
    ['the result', 'task'],
  ),
  'tasks.ttlMs': effect(
    '60000',
    beside({ PORTOLAN_TASKS_OFFER_AFTER_MS: '20' }, async (env) => (await longCall(env))['ttlMs']),
    [3_600_000, 60_000],
  ),
}
