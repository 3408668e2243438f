import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { GatewayError } from '../errors.ts'
import { createPolicy } from '../agents/policy.ts'
import { validate } from './validate.ts'

const inputSchema = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 1, maximum: 50 }, q: { type: 'string' } },
}

async function send(args: JsonObject, clamps: readonly string[]): Promise<unknown> {
  const upstream = anUpstream({ inProcess: { rules: () => ({ clamps }) } })
  const tool = { server: 's', name: 't', definition: { inputSchema }, readOnly: true }
  const layer = validate(createPolicy(undefined))(async ({ params }) => ({
    sent: params['arguments'],
  }))
  return layer(aCall({ tool, upstream, params: { name: 't', arguments: args } }))
}

it('lets a tool clamp a number itself', async () => {
  expect(await send({ n: 500 }, ['n'])).toEqual({ sent: { n: 500 } })
  expect(await send({ n: 0 }, ['n'])).toEqual({ sent: { n: 0 } })
})

it.each([
  [{ n: 1.5 }, ['n']],
  [{ n: 500, q: {} }, ['n']],
  [{ n: 500 }, ['q']],
])('refuses %j where only %j are clamped', async (args, clamps) => {
  await expect(async () => send(args, clamps)).rejects.toBeInstanceOf(GatewayError)
})
