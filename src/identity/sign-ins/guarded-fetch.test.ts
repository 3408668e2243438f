import { createServer, request } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { createGuardedFetch } from './guarded-fetch.ts'
import { openLoopbackPage } from './loopback-page.ts'

/** What names stand for; a name that is not here stands for nothing. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inside.example': ['203.0.113.7', '10.0.0.7'],
  'outside.example': ['203.0.113.7', '203.0.113.8'],
}
async function addressesOf(name: string): Promise<readonly string[]> {
  const found = NAMES[name]
  if (!found) throw new Error(`ENOTFOUND ${name}`)
  return found
}

const seen: string[] = []
const server = createServer(({ method, url = '' }, response) => {
  seen.push(`${method} ${url}`)
  const hops = /^\/hop\/(\d+)$/.exec(url)?.[1]
  const status = /^\/status\/(\d+)$/.exec(url)?.[1]
  if (status !== undefined) response.writeHead(Number(status), { location: '/plain' }).end('here')
  else if (url === '/large') response.end('x'.repeat(2 ** 20 + Number(large)))
  else if (url === '/moved') response.writeHead(302, { location: '/plain' }).end()
  else if (hops !== undefined)
    response.writeHead(307, { location: `/hop/${Number(hops) + 1}` }).end()
  else if (url === '/wrong') response.writeHead(400).end('no: s3cret')
  else response.end('yes: s3cret')
})
let here = ''
let large = false
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  here = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen.length = 0
})

const fetchFor = (serverUrl: string) =>
  createGuardedFetch({
    serverUrl,
    hide: (text) => text.replaceAll('s3cret', '***'),
    ...(serverUrl.includes('.example') && { addressesOf }),
  })

it.each([
  'http://127.0.0.1:9/mcp',
  'http://[::1]:9/mcp',
  'http://localhost/mcp',
  'http://10.1.2.3',
  'http://inside.example/mcp',
  'http://mcp.corp.internal./mcp',
])('the private server %s may name private addresses', async (serverUrl) => {
  const response = await fetchFor(serverUrl)(`${here}/plain`)
  expect([response.status, await response.text()]).toEqual([200, 'yes: s3cret'])
})

it.each([
  'http://203.0.113.7/mcp',
  'http://[2001:db8::7]/mcp',
  'http://outside.example/mcp',
  'http://nowhere.example/mcp',
])('the server %s may not, by no redirect either', async (serverUrl) => {
  await expect(fetchFor(serverUrl)(`${here}/plain`)).rejects.toThrow(
    'the server names 127.0.0.1 for its sign-in, which is the private address 127.0.0.1',
  )
  expect(seen).toEqual([])
})

it.each([
  [201, ['/status/201']],
  [300, ['/status/300', '/plain']],
  [399, ['/status/399', '/plain']],
  [400, ['/status/400']],
])('takes an answer %d with an address for a redirect where it is one', async (status, asked) => {
  await fetchFor(here)(`${here}/status/${status}`)
  expect(seen).toEqual(asked.map((path) => `GET ${path}`))
})

it('reads a megabyte of an answer, and says what is wrong with a larger one', async () => {
  large = false
  expect(await (await fetchFor(here)(`${here}/large`)).text()).toHaveLength(2 ** 20)
  large = true
  await expect(fetchFor(here)(`${here}/large`)).rejects.toThrow(
    'the answer of the authorization server is too large',
  )
})

it('follows three redirects of what has no credentials in it', async () => {
  const ask = fetchFor(here)
  expect(await (await ask(`${here}/moved`)).text()).toBe('yes: s3cret')
  expect(seen).toEqual(['GET /moved', 'GET /plain'])
  seen.length = 0
  expect((await ask(`${here}/hop/0`)).status).toBe(307)
  expect(seen).toEqual(['GET /hop/0', 'GET /hop/1', 'GET /hop/2', 'GET /hop/3'])
})

it('sends credentials nowhere else', async () => {
  const response = await fetchFor(here)(`${here}/moved`, { method: 'POST', body: 'code=1' })
  expect(response.status).toBe(302)
  expect(seen).toEqual(['POST /moved'])
})

it('hides secrets in what goes wrong, and changes nothing of what does not', async () => {
  const response = await fetchFor(here)(`${here}/wrong`)
  expect([response.status, await response.text()]).toEqual([400, 'no: ***'])
})

it('a page on loopback is for the browser of this machine, and for one address only', async () => {
  const answers: string[] = []
  const page = await openLoopbackPage(async (answer) => {
    answers.push(String(answer))
    if (answer.get('code') === 'bad') throw new Error('disk full')
    return { status: 200, message: 'Signed in.' }
  })
  onTestFinished(() => page.close())
  const { origin, port } = new URL(page.callbackUrl)
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${origin}${path}`, { method })
    return [response.status, (await response.text()).trim()]
  }
  expect(await get('/callback?code=1&state=a%26b')).toEqual([200, 'Signed in.'])
  expect(answers).toEqual(['code=1&state=a%26b'])
  expect(await get('/callback?code=bad')).toEqual([
    500,
    'The sign-in did not work: it could not be stored.',
  ])
  for (const path of ['/', '/callback/x', '//', '/favicon.ico'])
    expect((await get(path))[0]).toBe(404)
  expect((await get('/callback', 'POST'))[0]).toBe(404)
  const elsewhere = await askAs('rebound.example', Number(port))
  expect(elsewhere).toBe(403)
  expect(await askAs(`localhost:${port}`, Number(port))).toBe(200)
  expect(answers).toHaveLength(3)
})

/** Asks as a browser does that was led to loopback under another name. */
async function askAs(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/callback?x=1', headers: { host } })
    asked.on('response', (response) => resolve(response.resume().statusCode))
    asked.on('error', reject)
    asked.end()
  })
}
