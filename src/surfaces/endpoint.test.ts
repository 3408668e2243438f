import { expect, it } from 'vitest'
import { openToy } from '../../test/settings/open-toy.ts'
import type { Service } from '../protocol/service.ts'
import { SKILLS_EXTENSION } from '../protocol/skills.ts'

it.each(['constructor', 'toString', '__proto__', 'no/such'])('has no method %s', async (method) => {
  const toy = await openToy({})
  await expect(toy.request(method, {}, { credential: 'a secret' })).rejects.toThrow(
    `Method not found: ${method}`,
  )
})

/** Has folders of skills that it does not list, and never answers what is in them. */
const DIRECTORIES: Service = {
  info: { name: 'skills', version: '1.0.0' },
  capabilities: { resources: {}, extensions: { [SKILLS_EXTENSION]: { directoryRead: true } } },
  handle: async (method) =>
    method === 'resources/directory/read' ? new Promise(() => undefined) : {},
  close: async () => {},
}

it('ends a request for a directory that its server does not answer', async () => {
  const toy = await openToy({ PORTOLAN_DEADLINES_CALL_MS: '50' }, { service: DIRECTORIES })
  const reading = toy.request('resources/directory/read', { uri: 'skill://toy+/pdf' })
  await expect(reading).rejects.toThrow('timed out after 50ms')
})

it.each(['tools/list', 'prompts/list'])(
  'refuses a cursor of %s that it never gave',
  async (method) => {
    const toy = await openToy({})
    await expect(toy.request(method, { cursor: 'nonsense' })).rejects.toMatchObject({
      code: -32602,
    })
    await expect(toy.request(method, {})).resolves.toBeDefined()
  },
)
