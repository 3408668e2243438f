import { expect, it } from 'vitest'
import { aCall } from '../../test/support/a-call.ts'
import { ExactNumber } from '../base/json/exact-json.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Service } from '../protocol/service.ts'
import { createInProcess } from './in-process.ts'

/** A service whose tools are whatever `list` says, or throws. */
function aService(list: () => string[]) {
  let tell: ((method: string, params: JsonObject) => void) | undefined
  const service: Service = {
    info: { name: 'here', version: '1' },
    capabilities: { tools: { listChanged: true } },
    async handle() {
      return { tools: list().map((name) => ({ name })) }
    },
    onNotification: (listener) => {
      tell = listener
      return () => undefined
    },
    close: async () => undefined,
  }
  const upstream = createInProcess({
    name: 'here',
    description: undefined,
    open: async () => service,
  })
  return { upstream, change: () => tell?.('notifications/tools/list_changed', {}) }
}

it('tells of a changed list when the new one is there', async () => {
  let tools = ['a']
  const { upstream, change } = aService(() => tools)
  await upstream.live()
  const seen = new Promise<string[]>((resolve) => {
    upstream.onNotification(() => resolve(upstream.listing.tools.map(({ name }) => name)))
  })
  tools = ['a', 'b']
  change()
  expect(await seen).toEqual(['a', 'b'])
})

it('goes on with the list it has when the new one cannot be had', async () => {
  let tools: string[] | undefined = ['a']
  const { upstream, change } = aService(() => {
    if (!tools) throw new Error('not now')
    return tools
  })
  await upstream.live()
  tools = undefined
  change()
  expect((await upstream.live()).tools).toMatchObject([{ name: 'a' }])
})

it.each([
  ['in-process', 9007199254740992],
  ['openapi', new ExactNumber('9007199254740993')],
] as const)(
  'gives numbers beyond a double to a server of kind %s as %o',
  async (kind, expected) => {
    const seen: unknown[] = []
    const told: unknown[] = []
    const upstream = createInProcess({
      name: 'here',
      kind,
      description: undefined,
      open: async () => ({
        info: { name: 'here', version: '1' },
        capabilities: {},
        async handle(_method, params, context) {
          seen.push(params['id'])
          context.progress({ progress: 1 })
          return {}
        },
        close: async () => undefined,
      }),
    })
    const { upstream: _, ...call } = aCall({})
    const client = {
      ...call.client,
      notify: (_method: string, params: JsonObject) => void told.push(params['progressToken']),
    }
    const token = new ExactNumber('12345678901234567890')
    const params = { id: new ExactNumber('9007199254740993'), _meta: { progressToken: token } }
    await upstream.request('tools/call', params, { ...call, client, agent: 'ada' })
    expect(seen).toEqual([undefined, expected])
    expect(told).toEqual([token])
  },
)
