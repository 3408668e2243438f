import { once } from 'node:events'
import { expect, it } from 'vitest'
import { openSdk } from '../support/clients/task-sdk.ts'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { startEverything } from '../support/tasks/start-everything.ts'

const RULES = { agents: { ada: { allow: { servers: ['*'] } } } }
const asAda = { headers: { 'x-agent-id': 'ada' }, query: 'surface=direct' }

async function kill({ child }: Opened): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

it.each(['killed', 'ended'] as const)(
  'the task of a published server of 2025-11-25 goes on when the gateway is %s, with its question',
  async (how) => {
    const everything = await startEverything()
    const wanted = { servers: { everything: { url: everything.url } }, rules: RULES }
    const before = await openGateway(wanted)
    const research = { topic: 'python', ambiguous: true }
    const params = { name: 'simulate-research-query', arguments: research }
    const legacy = await before.connect(asAda)
    const modern = withTasks(await before.connect({ era: 'modern', ...asAda }))
    const { roots: _roots, ...others } = modern.capabilities
    modern.capabilities = others
    const ofLegacy = await beginTask(legacy, params)
    const { taskId: ofModern } = await call(modern, params.name, research)
    await untilStatus(legacy, ofLegacy, 'input_required')
    const { inputRequests } = await untilStatus(modern, ofModern, 'input_required')
    if (how === 'killed') await kill(before)
    else await before.close()

    const after = await openGateway({ ...wanted, folder: before.folder })
    const again = withTasks(await after.connect({ era: 'modern', ...asAda }))
    const asks = async () =>
      (await again.request('tasks/get', { taskId: ofModern }))['inputRequests']
    await expect.poll(asks).toEqual(inputRequests)
    const answer = { action: 'accept', content: { interpretation: 'snake' } }
    const inputResponses = Object.fromEntries(
      Object.keys(Object(inputRequests)).map((key) => [key, answer]),
    )
    await again.request('tasks/update', { taskId: ofModern, inputResponses })
    const { result } = await untilStatus(again, ofModern, 'completed')
    expect(textOf(Object(result))).toContain('python (snake)')

    const sdk = await openSdk(after, { interpretation: 'comedy' })
    expect(JSON.stringify(await sdk.result(ofLegacy))).toContain('python (comedy)')
    expect(sdk.asked).toHaveLength(1)
  },
)

it('a question that comes after a restart is asked too', async () => {
  const everything = await startEverything()
  const wanted = { servers: { everything: { url: everything.url } }, rules: RULES }
  const before = await openGateway(wanted)
  const legacy = await before.connect(asAda)
  const research = { topic: 'python', ambiguous: true }
  const taskId = await beginTask(legacy, { name: 'simulate-research-query', arguments: research })
  // The server asks two seconds after its start. It stops meanwhile, because a busy machine needs
  // longer for the restart, and a question that comes while no gateway runs is lost.
  everything.child.kill('SIGSTOP')
  await before.close()
  const after = await openGateway({ ...wanted, folder: before.folder })
  everything.child.kill('SIGCONT')

  const sdk = await openSdk(after, { interpretation: 'comedy' })
  expect(JSON.stringify(await sdk.result(taskId))).toContain('python (comedy)')
  expect(sdk.asked).toHaveLength(1)
})
