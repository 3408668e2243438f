import { expect, it } from 'vitest'
import { Canceller } from '../../base/flow/signal.ts'
import { connectStdio } from './connect-stdio.ts'

function connect(script: string) {
  const logged: string[] = []
  const events = {
    request: async () => ({}),
    notification: () => undefined,
    log: (line: string) => void logged.push(line),
  }
  const connecting = connectStdio({
    command: process.execPath,
    args: ['-e', script],
    env: {},
    cwd: undefined,
    protocol: '2025-11-25',
    maxFrameBytes: 10_000,
  })(events, { owner: undefined, era: 'legacy', signal: new Canceller() })
  return { connecting, logged }
}

it('logs the last words of a server that ends without a line break', async () => {
  const { connecting, logged } = connect(`process.stderr.write('first\\nno key was given')`)
  await expect(connecting).rejects.toThrow('exited')
  expect(logged).toEqual(['first', 'no key was given'])
})

/** Answers the handshake; the third request with a large result that names the second one. */
const LARGE = `
  const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (method === 'initialize') send({ result: { protocolVersion: '2025-11-25' }, jsonrpc: '2.0', id })
    if (method === 'large') {
      send({ result: { id: 2, text: 'x'.repeat(20000) }, jsonrpc: '2.0', id })
      send({ result: { ok: true }, jsonrpc: '2.0', id: 2 })
    }
  })
`

it('an answer over the limit fails its own request, whatever ids it has inside', async () => {
  const link = await connect(LARGE).connecting
  const small = link.request('small', {}, {})
  await expect(link.request('large', {}, {})).rejects.toThrow('over the limit')
  expect(await small).toMatchObject({ ok: true })
  await link.close()
})

it('an answer over the limit fails its request also if unusual members stand before its id', async () => {
  const unusual = LARGE.replace(
    'send({ result: { id: 2,',
    'send({ version: [2], id, result: { id: 2,',
  )
  const link = await connect(unusual).connecting
  const small = link.request('small', {}, {})
  await expect(link.request('large', {}, {})).rejects.toThrow('over the limit')
  expect(await small).toMatchObject({ ok: true })
  await link.close()
})
