import { chmodSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { type Answer, serveHttp } from '../../../test/support/http-server.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../../config/load.ts'
import { checkServers } from './check-servers.ts'

async function doctorOn(entry: object, timeoutMs = 20_000) {
  const folder = tempFolder()
  folder.write('data/mcp.json', { mcpServers: { one: entry } })
  const env = { PORTOLAN_HOME: folder.file('data'), PATH: process.env['PATH'] }
  const config = loadConfig({ cwd: folder.path, env })
  const findings = await checkServers(config, { timeoutMs, onProgress: () => undefined })
  return findings[0]
}

async function answering(status: number, headers: Record<string, string> = {}) {
  const answer: Answer = (_, response) => response.writeHead(status, headers).end('<p>Hello</p>')
  const server = await serveHttp(answer)
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return doctorOn({ url: `${server.url}/`, headers: { authorization: 'Bearer x' } })
}

it.each([
  [
    200,
    {},
    'one: it answered HTTP 200 without an answer of JSON-RPC: Hello',
    /check the path in the url/,
  ],
  [404, {}, 'one: it answered HTTP 404: Hello', /check the path in the url/],
  [403, {}, 'one: it answered HTTP 403: Hello', /Check the key/],
  [503, {}, 'one: it answered HTTP 503: Hello', /runs and fails/],
  [302, { location: '/login' }, 'one: it answered HTTP 302 and redirects to /login', /the path/],
])(
  'of a server that answers HTTP %i says so, and what to check',
  async (status, headers, message, fix) => {
    expect(await answering(status, headers)).toMatchObject({
      message,
      fix: expect.stringMatching(fix),
    })
  },
)

it('of a command that is a whole line says how to write it', async () => {
  expect(await doctorOn({ command: 'npx-not-there -y some-server' })).toMatchObject({
    fix: expect.stringContaining('"command": "npx-not-there", "args": ["-y", "some-server"]'),
  })
})

it('of a server that wants a key and has no sign-in says where the key goes', async () => {
  const server = await serveHttp((_, response) => response.writeHead(401).end())
  onTestFinished(async () => server[Symbol.asyncDispose]())
  expect(await doctorOn({ url: `${server.url}/` })).toMatchObject({
    fix: expect.stringContaining('Authorization header in .mcp.json'),
  })
})

it('of a silent server that npx may still be downloading says so', async () => {
  const folder = tempFolder()
  const npx = folder.write('bin/npx', '#!/bin/sh\nexec sleep 60\n')
  chmodSync(npx, 0o755)
  const silent = { command: npx, args: ['-y', 'some-server'] }
  expect(await doctorOn(silent, 200)).toMatchObject({
    message: 'one: no answer within 0.2 s',
    fix: expect.stringContaining('npx may still be downloading it'),
  })
  expect(await doctorOn({ command: 'sleep', args: ['60'] }, 200)).toMatchObject({
    fix: expect.stringContaining('find out what it waits for'),
  })
})
