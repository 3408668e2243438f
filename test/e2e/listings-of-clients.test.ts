import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { call, textOf, toolNames } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'

const EVERYTHING = {
  command: process.execPath,
  args: [
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  ],
}

it('the capabilities of one client take no tools from another', async () => {
  const gateway = await openGateway({ servers: { everything: EVERYTHING } })
  const able = await gateway.connect()
  await expect.poll(async () => toolNames(able)).toContain('trigger-sampling-request')
  const asked = await call(able, 'trigger-sampling-request', { prompt: 'Say it' })
  expect(textOf(asked)).toContain('sampled')
  const before = await toolNames(able)

  const limited = await gateway.connect({ capabilities: { elicitation: {} } })
  expect(textOf(await call(limited, 'echo', { message: 'hello' }))).toBe('Echo: hello')
  // The server registers tools by the capabilities of its client, and says so.
  await expect.poll(async () => toolNames(limited)).not.toContain('trigger-sampling-request')

  expect(await toolNames(able)).toEqual(expect.arrayContaining(before))
  expect(textOf(await call(able, 'trigger-sampling-request', { prompt: 'Again' }))).toContain(
    'sampled',
  )
  await gateway.close()
  const again = await openGateway({ servers: { everything: EVERYTHING }, folder: gateway.folder })
  expect(await toolNames(await again.connect())).toEqual(expect.arrayContaining(before))
}, 60_000)
