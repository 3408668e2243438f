import { expect, it } from 'vitest'
import { settingsSchema } from './settings.ts'

it('reads times that a timer can wait for, and lifetimes of any length', () => {
  const years = 10 ** 12
  const { upstreams, scripts, listen, deadlines, auth } = settingsSchema.parse({
    upstreams: { idleMs: years },
    scripts: { wallMs: years },
    listen: { drainMs: years },
    deadlines: { tools: { 'docs.*': years } },
    auth: { server: { refreshTokenMs: years } },
  })
  const waits = [upstreams.idleMs, scripts.wallMs, listen.drainMs, deadlines.tools['docs.*']]
  expect(waits).toEqual(waits.map(() => 2 ** 31 - 1))
  expect(auth.server.refreshTokenMs).toBe(years)
})
