import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import type { ArgumentShape } from '../../protocol/service.ts'
import { createPolicy } from '../agents/policy.ts'
import type { Authorized, CallResult } from '../call.ts'
import { validate } from '../layers/validate.ts'
import { toSentArguments, toShownArguments, withoutKeys } from './shape-arguments.ts'

const shape: ArgumentShape = {
  ownNames: { team: 'owner' },
  hidden: ['tenant', 'force'],
  defaults: { page: 1 },
  fixed: { tenant: 'acme' },
  isPersonal: false,
  schema: { type: 'object' },
}

const sentFor = (given: Record<string, unknown>) =>
  toSentArguments(shape, toShownArguments(shape, given), undefined)

it.each([
  [{}, { page: 1, tenant: 'acme' }],
  [
    { team: 'a', page: 2 },
    { owner: 'a', page: 2, tenant: 'acme' },
  ],
  // The tool's own name, which its other texts may mention, means the same.
  [{ owner: 'a' }, { owner: 'a', page: 1, tenant: 'acme' }],
  [
    { owner: 'a', team: 'b' },
    { owner: 'b', page: 1, tenant: 'acme' },
  ],
  // What is hidden cannot be given.
  [
    { tenant: 'other', force: true },
    { page: 1, tenant: 'acme' },
  ],
])('of %j it sends %j', (given, sent) => {
  expect(sentFor(given)).toEqual(sent)
})

it('a hidden name may be the new name of another argument', () => {
  const swapped = { ...shape, ownNames: { tenant: 'owner' } }
  expect(toSentArguments(swapped, toShownArguments(swapped, { tenant: 'b' }), undefined)).toEqual({
    owner: 'b',
    page: 1,
    tenant: 'acme',
  })
})

it('keys of a person are sent, and shown to nobody', async () => {
  const personal = { ...shape, fixed: { tenant: '${user.TENANT}' }, isPersonal: true }
  const sent = await toSentArguments(personal, {}, async () => ({ tenant: 'of ada' }))
  expect(sent).toMatchObject({ tenant: 'of ada' })
  const { upstream } = aCall()
  const tool = { server: 'hub', name: 'search', definition: {}, readOnly: true, shape: personal }
  expect(withoutKeys({ tool, upstream }, sent)).toMatchObject({ tenant: '${user.TENANT}' })
})

it('arguments that nothing can be added to are refused', async () => {
  const definition = { name: 'search', inputSchema: { type: 'object' } }
  const tool = { server: 'hub', name: 'search', definition, readOnly: true, shape }
  const sent: unknown[] = []
  const next = async (call: Authorized): Promise<CallResult> => {
    sent.push(call.params['arguments'])
    return {}
  }
  const call = aCall({ tool, params: { name: 'search', arguments: ['a'] } })
  await expect(async () => validate(createPolicy(undefined))(next)(call)).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
  })
  expect(sent).toEqual([])
})
