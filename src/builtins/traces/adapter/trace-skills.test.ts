import { expect, it, onTestFinished, vi } from 'vitest'
import { aTracesService } from '../../../../test/support/a-traces-service.ts'
import { aContext } from '../../../../test/support/use-tool.ts'
import { toolsOver } from '../../../../test/support/traces-tools.ts'
import { createTracesService } from './create-traces-service.ts'

async function open(most: number) {
  const traces = await aTracesService({ settings: { validationThreshold: 1 } })
  const author = await traces.account()
  const service = toolsOver(traces, { apiKey: author.key, skills: most })
  onTestFinished(async () => service.close())
  const ask = async (method: string, params = {}) =>
    JSON.stringify(await service.handle(method, params, aContext()))
  const confirm = async (id: string, votes: number) => {
    for (let n = 0; n < votes; n++)
      await (await traces.account()).post(`/traces/${id}/votes`, { vote_type: 'up' })
  }
  return { service, author, ask, confirm }
}

it('offers the most trusted of the confirmed traces as skills, and no other', async () => {
  const { author, ask, confirm } = await open(1)
  const [best, good] = [
    await author.contribute({ title: 'Pump stalls: prime it "first"' }),
    await author.contribute({ title: 'Valve sticks: replace it' }),
  ]
  await author.contribute({ title: 'Nobody has tried this' })
  await confirm(best, 3)
  await confirm(good, 1)
  const listed = await ask('skills/list')
  expect(listed).toContain('pump-stalls-prime-it-first-')
  expect(listed).not.toMatch(/valve|nobody/i)
  const uri = /skill:[^"]+/.exec(listed)?.[0]
  const text = await ask('resources/read', { uri })
  expect(text).toContain('confirmed by 3 others')
  expect(text).toContain(best)
})

it('announces a trace that others confirm later, and not that nothing happened', async () => {
  const intervals = vi.spyOn(globalThis, 'setInterval')
  const { service, author, ask, confirm } = await open(5)
  const look = intervals.mock.calls.find(([, ms]) => ms === 10_000)?.[0]
  intervals.mockRestore()
  const heard: string[] = []
  service.onNotification?.((method) => heard.push(method))
  const id = await author.contribute({ title: 'Hose leaks: tighten it' })
  expect(await ask('skills/list')).not.toContain('hose')
  await confirm(id, 1)
  look?.()
  await expect.poll(() => heard).toEqual(['notifications/resources/list_changed'])
  expect(await ask('skills/list')).toContain('hose')
  look?.()
  await ask('skills/list')
  expect(heard).toHaveLength(1)
})

const failing = async () => Promise.reject(new Error('down'))

it.each([
  ['its service does not answer', {}],
  ['its operator has no key', { operatorKey: failing }],
])('has no skills while %s, and still has its tools', async (_, options) => {
  const service = createTracesService({
    version: '1',
    port: { call: async () => ({ kind: 'degraded', reason: 'unavailable' }) },
    apiKey: 'x',
    skills: 5,
    ...options,
  })
  onTestFinished(async () => service.close())
  expect(await service.handle('skills/list', {}, aContext())).toEqual({ skills: [] })
  const { tools } = await service.handle('tools/list', {}, aContext())
  expect(JSON.stringify(tools)).toContain('search_traces')
})
