import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { installClient } from '../support/install-client.ts'
import { agreeAt } from '../support/sign-in/fake-browser.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('mcp-remote goes from the bare address to its first call', async () => {
  const program = await installClient('mcp-remote@0.15.1', 'mcp-remote')
  const gateway = await startWithSignIn()
  const home = tempFolder()
  const url = `${gateway.url}/mcp`
  const child = spawn(program, [url, String(await freePort()), '--allow-http'], {
    env: { PATH: process.env['PATH'], HOME: home.path, MCP_REMOTE_CONFIG_DIR: home.file('auth') },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill())
  const said: string[] = []
  const errors = createInterface({ input: child.stderr })
  errors.on('line', (line) => {
    said.push(line)
    // It would open a browser here; this is the one.
    const address = /(http\S+\/oauth\/authorize\?\S+)/.exec(line)?.[1]
    if (address !== undefined) void agreeAt(address, gateway.url, gateway.key)
  })
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'editor', version: '1' }
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { id }: { id?: number } = JSON.parse(line)
    if (id === 1) {
      send({ method: 'notifications/initialized' })
      const call = { server: 'files', tool: 'echo', args: { text: 'ahoy' } }
      send({ id: 2, method: 'tools/call', params: { name: 'execute_tool', arguments: call } })
    }
    if (id !== 2) continue
    expect(line).toContain('ahoy')
    return
  }
  throw new Error(`It ended without an answer:\n${said.join('\n')}`)
})
