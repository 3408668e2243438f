import { createServer } from 'node:http'

/** A server that answers everything with `{}` and keeps the last request for inspection. */
export async function startMock() {
  let last
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      last = {
        method: request.method.toLowerCase(),
        url: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks),
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/base`,
    take() {
      const taken = last
      last = undefined
      return taken
    },
    close: () => server.close(),
  }
}
