import { readFileSync, readdirSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openToy } from '../../../test/settings/open-toy.ts'
import { anHttpRequest } from '../../../test/support/an-http-request.ts'
import { createDashboard } from '../create-dashboard.ts'
import { Observer } from '../observer.ts'

/** What anybody on this machine may send although it is not GET. Each needs a reason. */
const FREE = [
  'POST /login', // Takes a key.
  'POST /logout', // Ends the login that comes with it.
  'POST /session', // Takes a link.
  'POST /policy/check', // Computes an answer.
  'POST /rules/condition',
  'POST /rules/draft', // The same.
]

const DASHBOARD = join(import.meta.dirname, '..')

/** Every route that is not GET, as the files of the dashboard name them. */
const changing = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
  if (!/(?<!\.test)\.ts$/.test(file)) return []
  const text = readFileSync(join(DASHBOARD, file), 'utf8')
  return [...text.matchAll(/defineRoute\('(?!GET )(\w+ [^']+)'/g)].map(([, route = '']) => route)
})

async function aDashboard(env: Record<string, string> = {}) {
  const { app } = await openToy(env)
  const api = createDashboard({
    sources: { ...app, setEnabled: async () => ({ file: 'x' }) },
    serving: { sessions: () => 0, endpoint: () => 'http://localhost/mcp' },
    observer: new Observer(),
  })
  onTestFinished(() => api.close())
  async function ask(route: string, headers: Record<string, string> = {}) {
    const [method = '', path = ''] = route.replaceAll(/:\w+/g, 'toy').split(' ')
    const incoming = anHttpRequest(
      { host: 'localhost', 'x-portolan-dashboard': '1', ...headers },
      method,
    )
    const request = new Request(`http://localhost/api/dashboard${path}`, { method, body: '{}' })
    const answer = await api.fetch(request, { incoming, outgoing: new ServerResponse(incoming) })
    return (await answer.text()).slice(0, 60)
  }
  return { app, ask }
}

it('every route that changes something refuses whoever has shown nothing', async () => {
  const { ask, app } = await aDashboard()
  expect(changing.length).toBeGreaterThan(15)
  const answers = await Promise.all(
    changing.map(async (route) => [route, await ask(route)] as const),
  )
  const open = answers.filter(([, answer]) => !answer.includes('"SESSION_REQUIRED"'))
  expect(open.map(([route]) => route).toSorted()).toEqual(FREE.toSorted())
  const lines = app.feed.recent().filter(({ decision }) => decision !== 'DENY')
  expect(lines, 'nothing was done').toEqual([])
})

it('the same routes are open to the person of the data folder, and to the key of an admin', async () => {
  const { ask, app } = await aDashboard()
  const { secret } = await app.keys.create('ada', { role: 'admin' })
  for (const credential of [app.passes.issue('command', 0), secret])
    for (const route of changing) {
      const answer = await ask(route, { authorization: `Bearer ${credential}` })
      expect(`${route}: ${answer}`).not.toContain('SESSION_REQUIRED')
    }
})
