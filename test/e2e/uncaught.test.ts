import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Loaded into the process before our own code. */
const preload = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`,
})

const THROWS_IN_A_REQUEST = `
  import { Server } from 'node:http'
  const { emit } = Server.prototype
  Server.prototype.emit = function (event, request, ...rest) {
    if (event === 'request' && request.headers['x-fault']) throw new Error('fault in a handler')
    return emit.call(this, event, request, ...rest)
  }`

it('goes on serving after an error that one connection causes, and logs it', async () => {
  const gateway = await startGateway(tempFolder(), [], preload(THROWS_IN_A_REQUEST))
  const leaving = new AbortController()
  const { signal } = leaving
  const answer = fetch(`${gateway.url}/health`, { headers: { 'x-fault': '1' }, signal }).catch(
    String,
  )
  await expect.poll(() => gateway.log()).toContain('fault in a handler')
  leaving.abort()
  expect(await answer).toContain('AbortError')
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  expect(gateway.child.exitCode).toBeNull()
})

it('ends with 1 after such an error while it starts', async () => {
  const folder = tempFolder()
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], {
    cwd: folder.path,
    env: gatewayEnv(folder, preload("setImmediate(() => { throw new Error('fault at start') })")),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data) => (said += String(data)))
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(said).toContain('fault at start')
  expect(said).not.toContain('listening')
})

it('goes on serving when nobody reads its log any more', async () => {
  const gateway = await startGateway(tempFolder(), ['--debug'], preload(THROWS_IN_A_REQUEST))
  gateway.child.stderr?.destroy()
  for (let i = 0; i < 3; i++) {
    const signal = AbortSignal.timeout(500)
    await expect(
      fetch(`${gateway.url}/health`, { headers: { 'x-fault': '1' }, signal }),
    ).rejects.toThrow('aborted due to timeout')
  }
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
})
