import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import type { CallResult } from '../call.ts'
import { type Allowance, SMALLEST_ALLOWANCE, budget } from './budgets.ts'

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
  [{ grant: undefined, configured: undefined, wish: 1 }, SMALLEST_ALLOWANCE],
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
      { maxTokens: least, owner: 'ada', tool: 't', outputSchema: { type: 'object' } },
    ])
    expect(call.event).toMatchObject({ tokenCount: 7, tokensSaved: 90 })
  },
)

it('leaves resources and prompts alone', async () => {
  const { handle } = setup(100)
  expect(await handle(aCall({ tool: undefined, method: 'resources/read' }))).toBe(whole)
})

function withFlag() {
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
    return whole
  })
  const upstream = anUpstream({ rules: () => ({ summarizeFlag: 'summarize' }) })
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

it('counts a result that a script wants whole, and does not shorten it', async () => {
  const { handle, asked } = setup(10)
  const call = aCall({ tool, options: { whole: true, maxTokens: 5 } })
  expect(await handle(call)).toBe(whole)
  expect(asked).toEqual([])
  expect(call.event.tokenCount).toBeGreaterThan(0)
  expect(call.event).not.toHaveProperty('tokensSaved')
})
