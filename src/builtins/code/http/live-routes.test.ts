import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aCodeApi } from '../../../../test/support/a-code-api.ts'

describe('what only some may ask the API', () => {
  it.each([
    ['an agent', { role: 'agent' as const }],
    ['an admin elsewhere', { isLocal: false }],
  ])('%s neither ends the process nor opens an editor', async (_, visitor) => {
    const stop = vi.fn()
    const api = aCodeApi({ visitor, stop })
    expect(await api.post('shutdown')).toMatchObject({ status: 403 })
    expect(await api.post('open-in-editor', { path: 'src/cart.ts' })).toMatchObject({ status: 403 })
    expect(stop).not.toHaveBeenCalled()
  })

  it('a gateway with other work is not ended either', async () => {
    expect(await aCodeApi().post('shutdown')).toMatchObject({ status: 403 })
  })

  it.each(['logs', 'infra', 'credits'])('an agent does not see %s', async (path) => {
    expect(await aCodeApi({ visitor: { role: 'agent' } }).get(path)).toMatchObject({ status: 403 })
  })
})

describe('the streams of the API', () => {
  it('replays the last thousand lines, says so, and goes on', async () => {
    const api = aCodeApi()
    for (let n = 0; n < 1_001; n++) api.log.add('search', `line ${n}`)
    const response = await api.fetch('logs')
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (what: string): Promise<void> => {
      while (!text.includes(what)) text += (await reader?.read())?.value ?? ''
    }
    await until('event: history_done')
    expect(text.match(/"msg":"line \d+"/g)).toHaveLength(1_000)
    expect(text).not.toContain('"line 0"')
    api.log.add('index', 'later', { files: 3 }, { level: 'warning' })
    await until('"later"')
    const [, line = ''] = /data: (\{[^\n]*"later"[^\n]*)/.exec(text) ?? []
    expect(JSON.parse(line)).toEqual({
      ts: expect.stringMatching(/^\d{4}-/),
      level: 'warning',
      cat: 'index',
      msg: 'later',
      fields: { files: 3 },
    })
    api.close()
    expect(await reader?.read()).toMatchObject({ done: true })
  })

  it('beats while somebody listens', async () => {
    const api = aCodeApi()
    const response = await api.fetch('heartbeat')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toMatch(/^event: ping\ndata: \{"ts":/)
    await reader?.cancel()
  })

  it('stops beating for somebody who has left before the first beat', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const api = aCodeApi()
    const response = await api.fetch('heartbeat')
    await response.body?.cancel()
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})
