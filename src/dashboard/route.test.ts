import { expect, it } from 'vitest'
import { z } from 'zod'
import { anHttpRequest } from '../../test/support/an-http-request.ts'
import type { Visitor } from './access/visitor.ts'
import { defineRoute } from './route.ts'

const visitor: Visitor = {
  role: 'admin',
  via: 'open',
  mayChange: false,
  actAs: [],
  caller: { transport: 'http', credential: undefined, claimedAgent: undefined },
}
const ask = (query: Record<string, string>, body: unknown) => ({
  visitor,
  params: {},
  request: anHttpRequest(),
  setHeader: () => undefined,
  query,
  body,
})

const limits: unknown[] = []
const calls = defineRoute('GET /calls', {
  role: 'viewer',
  query: z.object({ limit: z.coerce.number().int().max(10).optional() }),
  answer: ({ query }) => {
    limits.push(query.limit)
    return { calls: [] }
  },
})
const login = defineRoute('POST /login', {
  role: null,
  body: z.object({ key: z.string() }),
  answer: async ({ body, setHeader }) => {
    setHeader('set-cookie', String(body.key))
    const who = { role: 'admin', via: 'key', mayChange: true, actAs: [], agent: null } as const
    return { ...who, version: '1', endpoint: '/mcp' }
  },
})

it('has the method, path and role of its line of the contract', () => {
  expect(calls).toMatchObject({ method: 'GET', path: '/calls', role: 'viewer' })
  expect(login).toMatchObject({ method: 'POST', path: '/login', role: null })
})

it('changes something if it is not GET, unless it says otherwise', () => {
  const logout = defineRoute('POST /logout', {
    role: null,
    changes: false,
    answer: () => ({ ok: true }),
  })
  expect([calls.changes, login.changes, logout.changes]).toEqual([false, true, false])
})

it('answers with what was asked, as its schema reads it', async () => {
  expect(await calls.answer(ask({ limit: '2' }, undefined))).toEqual({ calls: [] })
  await calls.answer(ask({}, undefined))
  expect(limits).toEqual([2, undefined])
  const headers: string[] = []
  const asked = ask({}, { key: 'ptk_1' })
  await login.answer({ ...asked, setHeader: (...header) => void headers.push(header.join(': ')) })
  expect(headers).toEqual(['set-cookie: ptk_1'])
})

it.each([
  [calls, { limit: '11' }, undefined, /^limit: /],
  [calls, { limit: 'many' }, undefined, /^limit: /],
  [login, {}, { key: 7 }, /^key: /],
  [login, {}, undefined, /expected object/],
])('refuses what its schema does not know', async (route, query, body, problem) => {
  await expect(route.answer(ask(query, body))).rejects.toMatchObject({
    status: 400,
    code: 'INVALID_PARAMS',
    message: expect.stringMatching(problem),
  })
})
