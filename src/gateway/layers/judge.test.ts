import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { createPolicy } from '../agents/policy.ts'
import type { AgentRules } from '../agents/rules.ts'
import { GatewayError } from '../errors.ts'
import { validate } from './validate.ts'

const inputSchema = {
  type: 'object',
  required: ['sum'],
  properties: {
    sum: { type: 'number' },
    to: { type: 'string' },
    currency: { type: 'string', default: 'EUR' },
  },
}

/** Sends the arguments to a tool as `ada`, under her rules; returns what is sent, or why nothing is. */
async function send(own: AgentRules, args: unknown, schema: JsonObject | undefined = inputSchema) {
  const policy = createPolicy({ agents: { ada: own }, denyOnMissingAgent: true })
  const decision = policy.tool({ id: 'ada' }, 'echo', 'pay')
  if (decision.effect === 'deny') return decision.rule
  const tool = { server: 'echo', name: 'pay', definition: { inputSchema: schema }, readOnly: false }
  const call = aCall({ tool, params: { name: 'pay', arguments: args }, grant: decision.grant })
  const layer = validate(policy)(async ({ params }) => ({ sent: params['arguments'] }))
  try {
    return (await layer(call))['sent']
  } catch (error) {
    return error instanceof GatewayError ? error.toObject() : error
  }
}

const servers = ['*']
const upTo = (maximum: number): AgentRules => ({
  allow: {
    servers,
    tools: { echo: [{ tool: 'pay', when: { properties: { sum: { maximum } } } }] },
  },
})
const DENIED = { code: 'DENIED_BY_POLICY' }

it('judges what is sent: after coercion, with defaults, and then tells what is wrong', async () => {
  expect(await send(upTo(100), { sum: '500' })).toMatchObject(DENIED)
  expect(await send(upTo(100), { sum: '50' })).toEqual({ sum: 50, currency: 'EUR' })
  // Nothing is told about the arguments of a call that would not be allowed.
  expect(await send(upTo(100), { sum: 500, to: 5.5, currency: [] })).toMatchObject(DENIED)
  expect(await send(upTo(100), { currency: { x: 1 } })).toMatchObject({ code: 'INVALID_PARAMS' })
})

it('sends defaults only where a rule looks at the arguments', async () => {
  expect(await send({ allow: { servers } }, { sum: 5 })).toEqual({ sum: 5 })
  const noEuros = { tool: '*', when: { properties: { currency: { const: 'EUR' } } } }
  const own = { allow: { servers }, deny: { tools: { echo: [noEuros] } } }
  expect(await send(own, { sum: 5 })).toMatchObject(DENIED)
  expect(await send(own, { sum: 5, currency: 'USD' })).toEqual({ sum: 5, currency: 'USD' })
})

it('judges tools without a schema, and arguments that are no object', async () => {
  expect(await send(upTo(100), { sum: '500' }, {})).toMatchObject({
    ...DENIED,
    rule: 'agents.ada.allow.tools.echo[0]',
    message: expect.stringContaining('"sum" is no number'),
  })
  expect(await send(upTo(100), { sum: 500 }, undefined)).toMatchObject(DENIED)
  expect(await send(upTo(100), [500])).toMatchObject(DENIED)
  expect(await send(upTo(100), undefined, {})).toEqual(undefined)
})
