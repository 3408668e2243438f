import { expect, it } from 'vitest'
import type { JsonObject } from '../base/json.ts'
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
