import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/json/json.ts'
import {
  beginTask,
  knowingTasks,
  listed,
  pageOf,
  readSkill,
  readText,
  taskResult,
} from '../support/clients/extensions.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, refusal, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'

const SERVERS = ['one', 'two'] as const

/** Each thing that two servers call the same: both are listed, both are reached, and the shared name alone reaches neither. */
const CHECKS: Readonly<Record<string, (client: RawClient) => Promise<void>>> = {
  async tools(client) {
    const names = (await listed(client, 'tools')).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const server of SERVERS) {
      expect(names).toContain(`${server}__whoami`)
      const { argv } = structured(await call(client, `${server}__whoami`))
      expect(argv).toContain(server)
      expect(structured(await execute(client, server, 'whoami'))['argv']).toContain(server)
    }
    const { message } = await refusal(call(client, 'whoami'))
    expect(message).toContain("Name one of them: 'one__whoami', 'two__whoami'")
  },
  async 'URIs of resources'(client) {
    const uris = (await listed(client, 'resources')).map(({ uri }) => uri)
    expect(new Set(uris).size).toBe(uris.length)
    for (const server of SERVERS) {
      expect(uris).toContain(`test://${server}+who`)
      expect(await readText(client, `test://${server}+who`)).toBe(server)
      expect(await pageOf(client, `${server}__show_page`)).toBe(`<p>The page of ${server}</p>`)
    }
    const { message } = await refusal(client.request('resources/read', { uri: 'test://who' }))
    expect(message).toContain('Name one of them: test://one+who, test://two+who')
  },
  async prompts(client) {
    const names = (await listed(client, 'prompts')).map(({ name }) => name)
    expect(names).toEqual(['one__greet', 'two__greet'])
    for (const server of SERVERS) {
      const params = { name: `${server}__greet`, arguments: { name: 'Ada' } }
      expect(await client.request('prompts/get', params)).toMatchObject({ server })
      const ref = { type: 'ref/prompt', name: `${server}__greet` }
      const argument = { name: 'name', value: server.slice(0, 1) }
      const { completion } = await client.request('completion/complete', { ref, argument })
      expect(completion).toMatchObject({ values: [server] })
    }
    const { message } = await refusal(client.request('prompts/get', { name: 'greet' }))
    expect(message).toContain('Name one of them: one__greet, two__greet')
  },
  async 'ids of tasks'(client) {
    const begun = await Promise.all([
      beginTask(client, { name: 'one__job', arguments: { ms: 100 } }),
      beginTask(client, { name: 'two__job', arguments: { ms: 100 } }),
      beginTask(client, { name: 'execute_tool', arguments: { server: 'one', tool: 'job' } }),
      beginTask(client, { name: 'execute_tool', arguments: { server: 'two', tool: 'job' } }),
    ])
    expect(new Set(begun).size).toBe(4)
    const results = await Promise.all(begun.map(async (taskId) => taskResult(client, taskId)))
    const texts = ['done by one', 'done by two', 'done by one', 'done by two']
    expect(results.map(textOf)).toEqual(texts)
    const asked = knowingTasks(client, 'tasks/get', { taskId: 'task-1' })
    expect((await refusal(asked)).message).toContain('Task not found')
  },
  async skills(client) {
    const skills = await listed(client, 'skills')
    const uris = ['skill://one+/notes/SKILL.md', 'skill://two+/notes/SKILL.md']
    expect(skills.map(({ uri }) => uri)).toEqual(uris)
    const texts = await Promise.all(skills.map(async (skill) => readSkill(client, skill)))
    expect(texts.map((text) => text.trim().split('\n').at(-1))).toEqual(['Of one.', 'Of two.'])
    const found = valueOf(await call(client, 'find_tools', { query: 'take notes as two does' }))
    const [first]: unknown[] = Array.isArray(found['skills']) ? found['skills'] : []
    expect(isObject(first) && first['uri']).toBe('skill://two+/notes/SKILL.md')
  },
}

describe.each(['legacy', 'modern'] as const)('of two servers of the %s era', (upstreamEra) => {
  it('a client of either era finds and reaches both, whatever they call the same', async () => {
    const two = await startHttpUpstream('--era', upstreamEra, '--name', 'two', '--extras')
    const one = stdioUpstream('--era', upstreamEra, '--name', 'one', '--extras')
    const gateway = await openGateway({ servers: { one, two: { url: two.url } } })
    try {
      for (const era of ['legacy', 'modern'] as const) {
        const client = await gateway.connect({ era })
        for (const check of Object.values(CHECKS)) await check(client)
      }
    } finally {
      await two.close()
    }
    expect.hasAssertions()
  })
})
