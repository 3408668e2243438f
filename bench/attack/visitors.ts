import { raw } from './confinement.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const HOSTS = [
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '127.0.0.1@evil.example',
  '[::2]',
  '169.254.169.254',
  '',
  'localhost%00.evil',
  '127.0.0.1,evil.example',
  'evil.example#127.0.0.1',
  '0.0.0.0',
  '127.0.0.1.nip.io',
]
const ORIGINS = [
  'http://evil.example',
  'https://evil.example',
  'null',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example',
  'http://evil.example?localhost',
  'file://',
  'chrome-extension://abc',
  'http://localhost@evil.example',
  'http://[::2]',
  'http://evil.example#http://localhost',
  'localhost',
]
const PATHS = ['/mcp', '/sse', '/messages?sessionId=x', '/api/dashboard/overview', '/metrics']

/** Requests of foreign web pages, and host names that resolve to this machine (DNS rebinding). */
export const visitors: Attack = {
  name: 'Host and Origin',
  async run(field) {
    const rig = await Rig.open({ settings: { builtins: { traces: true } } })
    for (const path of PATHS) {
      for (const host of HOSTS)
        await field.try(`${path} with Host ${host}`, async () =>
          refused(await raw(rig.url, post(path, [`Host: ${host}`]))),
        )
      for (const origin of ORIGINS)
        await field.try(`${path} with Origin ${origin}`, async () => {
          const answer = await raw(rig.url, post(path, ['Host: 127.0.0.1', `Origin: ${origin}`]))
          return refused(answer) && !/access-control-allow-origin/i.test(answer)
        })
    }
    await field.try('two Hosts', async () =>
      refused(await raw(rig.url, post('/mcp', ['Host: 127.0.0.1', 'Host: evil.example']))),
    )
    await field.try('an absolute address of another', async () =>
      refused(await raw(rig.url, post('http://evil.example/mcp', ['Host: evil.example']))),
    )
    await field.try('two lengths', async () =>
      refused(await raw(rig.url, post('/mcp', ['Host: 127.0.0.1', 'Content-Length: 3']))),
    )
    await field.try('length and chunks', async () =>
      refused(await raw(rig.url, post('/mcp', ['Host: 127.0.0.1', 'Transfer-Encoding: chunked']))),
    )
    await field.try('still serves its own', async () => {
      const request = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
      return (await raw(rig.url, request)).startsWith('HTTP/1.1 200')
    })
    await rig.discard()
  },
}

function post(path: string, lines: readonly string[]): string {
  return (
    `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Type: application/json\r\n` +
    `Accept: application/json\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`
  )
}

function refused(answer: string): boolean {
  return /^HTTP\/1\.1 (?:400|403|404|405)/.test(answer)
}
