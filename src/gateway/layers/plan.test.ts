import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import type { Authorized } from '../call.ts'
import { PLANNED_META, plan } from './plan.ts'

const tool = (name: string, readOnly: boolean) => ({
  server: 'notes',
  name,
  definition: { name, annotations: { readOnlyHint: readOnly } },
  readOnly,
})

async function send(call: Authorized) {
  const sent: string[] = []
  const handler = plan()(async ({ tool: used }) => {
    sent.push(used?.name ?? '')
    return { content: [] }
  })
  return { result: await handler(call), sent }
}

const params = { name: 'add', arguments: { text: 'x' } }

it('ends a write of a plan before it is sent, with its arguments', async () => {
  const call = aCall({ tool: tool('add', false), params, options: { plan: true } })
  const { result, sent } = await send(call)
  expect(sent).toEqual([])
  expect(result).toEqual({ content: [], _meta: { [PLANNED_META]: { arguments: { text: 'x' } } } })
  expect(call.event).toMatchObject({ decision: 'ALLOW', outcome: 'planned' })
})

it('lets reads go on, and everything without a plan', async () => {
  const read = aCall({ tool: tool('list', true), options: { plan: true } })
  expect((await send(read)).sent).toEqual(['list'])
  const write = aCall({ tool: tool('add', false), params })
  expect((await send(write)).sent).toEqual(['add'])
})
