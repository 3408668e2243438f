import { createServer } from 'node:http'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'

const SPEC = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders': {
      get: {
        operationId: 'orders',
        parameters: [{ name: 'says', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'x', content: { 'application/json': { schema: {} } } } },
      },
      post: { operationId: 'order', responses: { 204: { description: 'x' } } },
    },
  },
})

/** Headers that forbid to give an answer to anybody else, or to the same agent again. */
const PRIVATE = [
  '',
  'private, max-age=600',
  'max-age=600',
  'public, max-age=600, private',
  'PUBLIC, MAX-AGE=600, PRIVATE="x-name"',
  's-maxage=600',
]
const ASK_AGAIN = [
  '',
  'no-store',
  'No-Store, max-age=600',
  'no-cache, max-age=600',
  'No-Cache="a, b", max-age=600',
  'max-age=0',
  'max-age=600 no-store',
  'max-age="600, public", no-store',
  'ext="a, max-age=600"',
  'max-age=-1',
  'max-age=6e2',
  's-maxage=600, public',
]

/** What one agent or person has read from an API must not answer another, nor itself when forbidden. */
export const apiAnswers: Attack = {
  name: 'answers of APIs across agents',
  async run(field) {
    let count = 0
    const api = createServer(({ url = '/', method }, response) => {
      const says = new URL(url, 'http://x').searchParams.get('says')
      response.setHeader('content-type', 'application/json')
      if (says) for (const [name, value] of JSON.parse(says)) response.setHeader(name, value)
      response.end(method === 'GET' ? JSON.stringify({ seen: `answer-${++count}` }) : '')
    })
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    const address = api.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const entry = { openapi: './api.json', baseUrl: `http://127.0.0.1:${port}`, allowPrivate: true }
    const auth = { type: 'bearer', token: 'a-token-of-the-team' }
    const all = { allow: { servers: ['*'] } }
    const rig = await Rig.open({
      servers: {
        open: entry,
        closed: { ...entry, auth },
        headers: { ...entry, headers: { 'X-Key': 'a-key-of-the-team' } },
        query: { ...entry, baseUrl: `${entry.baseUrl}/?key=a-key-of-the-team` },
        timed: { ...entry, cacheSeconds: 600 },
      },
      rules: { agents: { ada: all, bob: all } },
      files: { 'api.json': SPEC },
    })
    const read = async (server: string, agent: string, headers: readonly string[][]) => {
      const args = headers.length === 0 ? {} : { says: JSON.stringify(headers) }
      const said = await rig.call(`${server}__orders`, args, { agent })
      return /answer-\d+/.exec(said)?.[0] ?? 'none'
    }
    const differ = async (server: string, agents: readonly string[], headers: string[][]) => {
      const seen = []
      for (const agent of agents) seen.push(await read(server, agent, headers))
      return !seen.includes('none') && new Set(seen).size === seen.length
    }
    await field.try('control: an answer is kept for its agent as it says', async () => {
      const minutes = [['cache-control', 'max-age=600']]
      return (await read('open', 'ada', minutes)) === (await read('open', 'ada', minutes))
    })
    for (const server of ['open', 'closed', 'headers', 'query', 'timed'])
      for (const says of PRIVATE)
        await field.try(`${server} says "${says}", another agent asks`, async () =>
          differ(server, ['ada', 'bob'], says ? [['cache-control', says]] : []),
        )
    for (const server of ['closed', 'headers', 'query'])
      await field.try(`${server} is public, but a credential was sent`, async () =>
        differ(server, ['ada', 'bob'], [['cache-control', 'public, max-age=600']]),
      )
    for (const server of ['open', 'closed'])
      for (const says of ASK_AGAIN)
        await field.try(`${server} says "${says}", the same agent asks again`, async () =>
          differ(server, ['ada', 'ada', 'ada'], says ? [['cache-control', says]] : [['x-a', '1']]),
        )
    for (const [name, value] of [
      ['vary', '*'],
      ['age', '601'],
      ['expires', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ])
      await field.try(`max-age with ${name}: ${value}`, async () => {
        const control = name === 'expires' ? 'public' : 'max-age=600'
        return differ(
          'open',
          ['ada', 'ada'],
          [
            ['cache-control', control],
            [name ?? '', value ?? ''],
          ],
        )
      })
    await field.try('no-store where the entry sets a time', async () =>
      differ('timed', ['ada', 'ada'], [['cache-control', 'no-store']]),
    )
    for (const writer of ['ada', 'bob'])
      await field.try(`${writer} writes, then ada reads again`, async () => {
        const minutes = [['cache-control', `max-age=600, ${writer}`]]
        const before = await read('open', 'ada', minutes)
        await rig.call('open__order', {}, { agent: writer })
        return before !== (await read('open', 'ada', minutes))
      })
    await rig.discard()
    api.closeAllConnections()
    await new Promise((resolve) => api.close(resolve))
  },
}
