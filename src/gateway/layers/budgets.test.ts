import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import type { CallResult } from '../call.ts'
import { type Allowance, MIN_ALLOWANCE, budget } from './budgets.ts'

const tool = {
  server: 's',
  name: 't',
  definition: { outputSchema: { type: 'object' } },
  readOnly: true,
}
const whole: CallResult = { content: ['whole'] }

function setup(configured?: number) {
  const asked: Allowance[] = []
  const shaper = {
    shape: async (_: CallResult, allowance: Allowance) => {
      asked.push(allowance)
      return { result: { content: ['less'] }, tokenCount: 7, tokensSaved: 90 }
    },
  }
  const handle = budget(shaper, { maxTokens: () => configured })(async () => whole)
  return { handle, asked }
}

it('does not touch a result that nobody limits', async () => {
  const { handle, asked } = setup()
  expect(await handle(aCall({ tool }))).toBe(whole)
  expect(asked).toEqual([])
})

it.each([
  [{ grant: 300, configured: 200, wish: 100 }, 100],
  [{ grant: 100, configured: 200, wish: 300 }, 100],
  [{ grant: undefined, configured: 200, wish: 300 }, 200],
  [{ grant: undefined, configured: undefined, wish: 1 }, MIN_ALLOWANCE],
])(
  'takes the least of grant, configuration and wish: %o',
  async ({ grant, configured, wish }, least) => {
    const { handle, asked } = setup(configured)
    const call = aCall({
      tool,
      grant: { rule: 'r', maxTokens: grant },
      options: { maxTokens: wish },
    })
    expect(await handle(call)).toEqual({ content: ['less'] })
    expect(asked).toMatchObject([
      {
        maxTokens: least,
        owner: 'agent:ada|ada',
        from: { tool: 't' },
        outputSchema: { type: 'object' },
      },
    ])
    expect(call.event).toMatchObject({ tokenCount: 7, tokensSaved: 90 })
  },
)

it('leaves resources and prompts alone', async () => {
  const { handle } = setup(100)
  expect(await handle(aCall({ tool: undefined, method: 'resources/read' }))).toBe(whole)
})

function withFlag(answer = whole) {
  const seen: unknown[] = []
  const asked: Allowance[] = []
  const shaper = {
    shape: async (result: CallResult, allowance: Allowance) => {
      asked.push(allowance)
      return { result, tokenCount: 1, tokensSaved: 0 }
    },
  }
  const handle = budget(shaper, { maxTokens: () => 2_000 })(async ({ params }) => {
    seen.push(params['arguments'])
    return answer
  })
  const upstream = anUpstream({ inProcess: { rules: () => ({ summarizeFlag: 'summarize' }) } })
  const call = async (args: object) =>
    handle(aCall({ tool, upstream, params: { name: 't', arguments: args } }))
  return { call, seen, asked }
}

it('takes the flag that asks for a summary out of what the server sees', async () => {
  const { call, seen, asked } = withFlag()
  await call({ id: 1, summarize: true })
  expect(seen).toEqual([{ id: 1 }])
  expect(asked).toMatchObject([{ always: true, maxTokens: 2_000 }])
})

it('gives everything when no summary is wanted', async () => {
  const { call, seen, asked } = withFlag()
  await call({ id: 1, summarize: false })
  expect(seen).toEqual([{ id: 1 }])
  expect(asked).toEqual([])
})

it('does not shorten a result that a script wants whole', async () => {
  const { handle, asked } = setup(10)
  const call = aCall({ tool, options: { whole: true, maxTokens: 5 } })
  expect(await handle(call)).toBe(whole)
  expect(asked).toEqual([])
  expect(call.event).not.toHaveProperty('tokensSaved')
})

it.each([
  ['an error of the tool', { isError: true }, { summarize: true }],
  ['a call that does not ask', {}, { id: 1 }],
  ['a call that asks in some other way', {}, { summarize: 'yes' }],
])('makes a summary only where needed for %s', async (_, answer, args) => {
  const { call, asked } = withFlag(answer)
  await call(args)
  expect(asked).toMatchObject([{ always: false, maxTokens: 2_000, mostTokens: Infinity }])
})

it('lifts the limit of the tool for an agent that wants no summary, and not its own', async () => {
  const { handle, asked } = setup(200)
  const upstream = anUpstream({ inProcess: { rules: () => ({ summarizeFlag: 'summarize' }) } })
  const call = aCall({
    tool,
    upstream,
    params: { name: 't', arguments: { summarize: false } },
    grant: { rule: 'r', maxTokens: 900 },
  })
  await handle(call)
  expect(asked).toMatchObject([{ maxTokens: 900, mostTokens: 900 }])
})

it('leaves an argument alone that only has the name of such a flag elsewhere', async () => {
  const seen: unknown[] = []
  const plain = setup(200)
  const handle = budget(
    { shape: async () => Promise.reject(new Error('not asked')) },
    { maxTokens: () => undefined },
  )(async ({ params }) => {
    seen.push(params['arguments'])
    return whole
  })
  const args = { summarize: true }
  await handle(
    aCall({
      tool,
      upstream: anUpstream({ inProcess: { rules: () => undefined } }),
      params: { arguments: args },
    }),
  )
  await handle(aCall({ tool, upstream: anUpstream(), params: { arguments: args } }))
  await handle(
    aCall({
      tool,
      upstream: anUpstream({ inProcess: { rules: () => ({ summarizeFlag: 'summarize' }) } }),
      params: {},
    }),
  )
  expect(seen).toEqual([args, args, undefined])
  expect(await plain.handle(aCall({ tool: { ...tool, definition: {} }, params: {} }))).toEqual({
    content: ['less'],
  })
  expect(plain.asked).toMatchObject([
    { arguments: {}, outputSchema: undefined, from: { server: 'echo' } },
  ])
})

it('records no saving where there is none', async () => {
  const handle = budget(
    { shape: async (result) => ({ result, tokenCount: 5, tokensSaved: 0 }) },
    { maxTokens: () => 100 },
  )(async () => whole)
  const call = aCall({ tool })
  await handle(call)
  expect(call.event).toHaveProperty('tokenCount', 5)
  expect(call.event).not.toHaveProperty('tokensSaved')
})
