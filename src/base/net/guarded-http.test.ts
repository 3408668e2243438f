import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GuardedHttp } from './guarded-http.ts'

const http = new GuardedHttp({
  tooLarge: (maxBytes) => new Error(`over ${maxBytes}`),
  refused: (host, is) => new Error(`${host} is ${is}`),
})

const PAGE = 'x'.repeat(10_000)
const seen: (string | undefined)[] = []
const server = createServer((request, response) => {
  seen.push(request.url)
  if (request.url === '/moved') response.writeHead(302, { location: '/plain' }).end()
  else if (request.url === '/packed')
    response.writeHead(200, { 'content-encoding': 'GZIP' }).end(gzipSync(PAGE))
  else {
    response.write(PAGE.slice(0, 5_000))
    response.end(PAGE.slice(5_000))
  }
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  await http.close()
  server.close()
})

async function get(
  path: string,
  { host = '127.0.0.1', allowPrivate = true, maxBytes = 10_000 } = {},
) {
  const url = new URL(`http://${host}:${port}${path}`)
  const signal = AbortSignal.timeout(30_000)
  const answer = await http.send({ method: 'GET', url, signal, allowPrivate, maxBytes })
  return { ...answer, body: Buffer.from(answer.body).toString() }
}

it('refuses a private address that is written down or found by its name, before it connects', async () => {
  seen.length = 0
  await expect(get('/plain', { allowPrivate: false })).rejects.toThrow(
    '127.0.0.1 is the private address 127.0.0.1',
  )
  const named = get('/plain', { allowPrivate: false, host: 'localhost' })
  await expect(named).rejects.toThrow('localhost is a name for private addresses')
  expect(seen).toEqual([])
  // What was allowed once opens nothing for the next.
  expect(await get('/plain')).toMatchObject({ status: 200, body: PAGE })
  await expect(get('/plain', { allowPrivate: false })).rejects.toThrow(
    '127.0.0.1 is the private address 127.0.0.1',
  )
})

it('unpacks an answer, and holds it to the bound before and after', async () => {
  expect((await get('/packed')).body).toBe(PAGE)
  await expect(get('/packed', { maxBytes: 9_999 })).rejects.toThrow('over 9999')
  await expect(get('/plain', { maxBytes: 9_999 })).rejects.toThrow('over 9999')
})

it('leaves redirects to its caller, who checks where they lead', async () => {
  expect(await get('/moved')).toMatchObject({ status: 302, headers: { location: '/plain' } })
})
