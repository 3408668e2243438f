import type { JsonObject } from '../../src/base/json.ts'
import { aClient } from '../support/a-call.ts'
import { startTaskServer } from '../support/tasks/start-task-server.ts'
import { type Effects, beside, effect } from './effect.ts'
import { openToy } from './open-toy.ts'

type Env = Record<string, string>

const WITH_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** The answer to a call that takes a while, of a client that knows tasks. */
async function answerTo(env: Env): Promise<JsonObject> {
  const { app } = await openToy(env)
  return app.backend.handle({
    method: 'tools/call',
    params: { name: 'toy__wait', arguments: { ms: 500 } },
    caller: { transport: 'stdio', credential: undefined, claimedAgent: undefined },
    client: aClient({ capabilities: WITH_TASKS }),
    signal: new AbortController().signal,
    surface: 'direct',
  })
}

/** What a client without tasks gets of a tool that runs as a task only. */
async function withoutTasks(env: Env): Promise<string> {
  const { url } = await startTaskServer()
  const { call } = await openToy(env, { servers: { jobs: { url } } })
  return call('failing_job', {}, { client: { era: 'modern', alone: false } })
}

const OFFERED = { PORTOLAN_TASKS_OFFER_AFTER_MS: '20' }

/** The section `tasks`. */
export const TASKS: Effects = {
  'tasks.wait': effect('false', withoutTasks, [
    'the job went wrong',
    'RpcError: Missing required client capability',
  ]),
  'tasks.offerAfterMs': effect('20', async (env) => (await answerTo(env))['resultType'], [
    undefined,
    'task',
  ]),
  'tasks.ttlMs': effect(
    '5000',
    beside(OFFERED, async (env) => (await answerTo(env))['ttlMs']),
    [3_600_000, 5000],
  ),
}
