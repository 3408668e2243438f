import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { ANSWERS } from '../support/clients/session.ts'
import {
  call,
  execute,
  refusal,
  structured,
  textOf,
  toolNames,
  valueOf,
} from '../support/clients/talk.ts'
import { oddOfHttp, oddOfStdio, resultText } from '../support/clients/odd-results.ts'
import { describeTransports } from '../support/describe-transports.ts'

const SERVERS = ['old', 'new'] as const
const UNIQUE = { count: 0 }

describeTransports((suite, { byHand }) => {
  describe('the discover surface', () => {
    it('shows its few tools and nothing else', async () => {
      expect(await toolNames(suite().discover)).toEqual([
        'list_servers',
        'find_tools',
        'get_server_tools',
        'execute_tool',
        'read_result',
        'get_gateway_status',
      ])
    })

    it('lists servers, with where they are only for those who ask', async () => {
      const plain = valueOf(await call(suite().discover, 'list_servers'))
      expect(plain['list']).toEqual([
        { name: 'old', description: 'The old server' },
        { name: 'new', description: expect.stringMatching(/^\d+ tools: echo, .*…$/) },
      ])
      const more = await call(suite().discover, 'list_servers', { include_metadata: true })
      expect(valueOf(more)['list']).toMatchObject([
        { name: 'old', transport: 'stdio', command: process.execPath },
        { name: 'new', transport: 'http', url: expect.stringContaining('/mcp') },
      ])
    })

    it.each(SERVERS)('gives the tools of %s by names, list or glob', async (server) => {
      const ask = async (more: JsonObject) => {
        const answer = valueOf(
          await call(suite().discover, 'get_server_tools', { server, ...more }),
        )
        const tools = Array.isArray(answer['tools']) ? answer['tools'] : []
        return { ...answer, names: tools.map(({ name }: { name: string }) => name) }
      }
      expect((await ask({ names: ['fail', 'echo'] })).names).toEqual(['echo', 'fail'])
      expect((await ask({ names: 'echo, fail' })).names).toEqual(['echo', 'fail'])
      expect((await ask({ pattern: 'ask_*' })).names).toEqual([
        'ask_roots',
        'ask_sampling',
        'ask_elicitation',
      ])
      const all = await ask({})
      expect(all).toMatchObject({ server, error: null, tokens_used: expect.any(Number) })
      expect(all).not.toHaveProperty('truncated')
    })

    it('says honestly when a budget leaves tools out', async () => {
      const args = { server: 'old', max_schema_tokens: 200 }
      const answer = valueOf(await call(suite().discover, 'get_server_tools', args))
      const { returned, omitted, total_available } = answer
      expect(answer).toMatchObject({ truncated: true, error: null })
      expect(Number(answer['tokens_used'])).toBeLessThanOrEqual(200)
      expect(Number(returned)).toBeGreaterThan(0)
      expect(Number(returned) + Number(omitted)).toBe(total_available)
    })

    it('answers for a server that is not there with the nearest name, in band', async () => {
      const answer = valueOf(await call(suite().discover, 'get_server_tools', { server: 'olt' }))
      expect(answer).toMatchObject({
        tools: [],
        error: "Server 'olt' not found in configured servers",
        error_detail: { code: 'SERVER_NOT_FOUND', hint: "Did you mean 'old'?" },
      })
    })

    it.each(SERVERS)('executes a tool of %s as if it had been called itself', async (server) => {
      const { direct, discover } = suite()
      const executed = await execute(discover, server, 'echo', { text: 'hé' })
      expect(textOf(executed)).toBe('hé')
      expect(executed).toEqual(await call(direct, `${server}__echo`, { text: 'hé' }))
      expect(await execute(discover, server, 'fail', { text: 'no' })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'no' }],
      })
    })

    it('tells what an upstream refused, with its code and data', async () => {
      const args = { code: -31_007, message: 'refused', data: { why: [1] } }
      const result = await execute(suite().discover, 'old', 'rpc_error', args)
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { error: { rpc_code: -31_007, data: { why: [1] } } },
      })
    })

    it('names the nearest tool and the nearest server', async () => {
      const tool = await execute(suite().discover, 'old', 'ecko')
      expect(tool).toMatchObject({ isError: true })
      expect(textOf(tool)).toContain("Did you mean 'echo'?")
      expect(structured(tool)).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
      const server = await execute(suite().discover, 'ol', 'echo')
      expect(structured(server)).toMatchObject({ error: { code: 'SERVER_NOT_FOUND' } })
    })

    it.each([
      [{ tool: 'echo' }, 'Missing required parameter: server'],
      [{ server: 'old', tool: 7 }, '"tool" must be a string, got number'],
      [{ server: 'old', tool: 'echo', args: [1] }, '"args" must be an object, got an array'],
      [{ server: 'old', tool: 'echo', timeout_ms: -1 }, 'a positive whole number'],
    ])('explains what is wrong with %j', async (args, problem) => {
      const result = await call(suite().discover, 'execute_tool', args)
      expect(result).toMatchObject({ isError: true })
      expect(textOf(result)).toContain(problem)
    })

    it('reports its own health', async () => {
      const status = valueOf(await call(suite().discover, 'get_gateway_status'))
      expect(status).toMatchObject({
        available_servers: ['old', 'new'],
        reload_status: { mcp_config: { last_error: null } },
      })
    })
  })

  describe('the direct surface', () => {
    it('shows the tools of all servers under names every client takes', async () => {
      const { tools } = await suite().direct.request('tools/list')
      const list: JsonObject[] = Array.isArray(tools) ? tools : []
      const names = list.map(({ name }) => String(name))
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^(old|new)__[\w-]{1,59}$/)
      expect(list.find(({ name }) => name === 'old__echo')).toMatchObject({
        title: 'The tool echo',
        annotations: { readOnlyHint: true },
        _meta: { 'com.example/tool': 'echo' },
      })
      expect(await toolNames(suite().direct)).toEqual(names)
    })

    // The SDKs parse what they are given, so only clients made by hand can tell.
    it.runIf(byHand).each(SERVERS)('passes on the result of %s byte for byte', async (server) => {
      const { direct } = suite()
      const expected = server === 'old' ? await oddOfStdio() : await oddOfHttp()
      const got = await direct.text?.('tools/call', { name: `${server}__odd`, arguments: {} })
      expect(resultText(got ?? '')).toBe(resultText(expected))
    })

    it.runIf(byHand).each(SERVERS)(
      'renames only the resources of %s in a result',
      async (server) => {
        const { direct } = suite()
        const got = await direct.text?.('tools/call', { name: `${server}__linked`, arguments: {} })
        const uri = `test://${server}+text`
        expect(resultText(got ?? '')).toBe(
          '{"content":[{"type":"text","text":"see test://text"},' +
            `{"type":"resource_link","uri":"${uri}","name":"a link","vendorField":true},` +
            `{"type":"resource","resource":{"uri":"${uri}","text":"inside","vendorField":"x"}}],` +
            '"structuredContent":{"big":9007199254740993,"uri":"test://text"}}',
        )
        expect(await direct.request('resources/read', { uri })).toMatchObject({
          contents: [{ uri, text: 'a text' }],
        })
      },
    )

    it.each(SERVERS)('keeps isError, and the code and data of errors of %s', async (server) => {
      const { direct } = suite()
      expect(await call(direct, `${server}__fail`)).toMatchObject({ isError: true })
      const args = { code: -31_007, message: 'refused', data: { why: [1] } }
      expect(await refusal(call(direct, `${server}__rpc_error`, args))).toMatchObject({
        code: -31_007,
        message: expect.stringContaining('refused'),
        data: { why: [1] },
      })
    })

    it.each(SERVERS)('forwards the progress of %s', async (server) => {
      const { direct } = suite()
      const progress: JsonObject[] = []
      const params = { name: `${server}__slow`, arguments: { ms: 400, steps: 4 } }
      await direct.request('tools/call', params, { onProgress: (update) => progress.push(update) })
      // The SDK drops updates that arrive together with the result.
      expect(progress.length).toBeGreaterThanOrEqual(direct.text ? 4 : 2)
      expect(progress[0]).toMatchObject({ progress: 1, total: 4, message: 'step 1' })
    })

    it.each(SERVERS)('takes a cancellation to %s', async (server) => {
      const { direct } = suite()
      const cancelled = async () => {
        const known = structured(await call(direct, `${server}__whoami`))['cancelled']
        return Array.isArray(known) ? known.length : -1
      }
      const before = await cancelled()
      const leaving = new AbortController()
      const params = { name: `${server}__slow`, arguments: { ms: 60_000, steps: 1200 } }
      const slow = direct.request('tools/call', params, {
        signal: leaving.signal,
        onProgress: () => leaving.abort(),
      })
      await expect(slow).rejects.toThrow(/cancel|abort/i)
      await expect.poll(cancelled).toBe(before + 1)
    })

    it('names the nearest tool when there is none of that name', async () => {
      expect(await refusal(call(suite().direct, 'old__ecko'))).toMatchObject({
        code: -32_602,
        message: expect.stringContaining("Did you mean 'old__echo'?"),
        data: { code: 'TOOL_NOT_FOUND' },
      })
    })

    it('refuses a method that does not exist', async () => {
      const error = await refusal(suite().direct.request('tools/dance'))
      expect(JSON.stringify(error)).toMatch(/-32601|Method not found|not supported/)
    })
  })

  describe('resources and prompts', () => {
    it.each(SERVERS)('lists and reads resources of %s, and those of templates', async (server) => {
      const { direct } = suite()
      const { resources } = await direct.request('resources/list')
      expect(resources).toEqual(
        expect.arrayContaining([expect.objectContaining({ uri: `test://${server}+text` })]),
      )
      const { resourceTemplates } = await direct.request('resources/templates/list')
      const uriTemplate = `test://${server}+item/{id}`
      expect(resourceTemplates).toEqual(
        expect.arrayContaining([expect.objectContaining({ uriTemplate })]),
      )
      const read = async (uri: string) =>
        (await direct.request('resources/read', { uri }))['contents']
      const uri = `test://${server}+blob`
      expect(await read(uri)).toEqual([{ uri, blob: 'AAEC' }])
      expect(await read(`test://${server}+item/7`)).toMatchObject([{ text: 'item 7' }])
      expect(await refusal(read('test://nowhere'))).toMatchObject({ code: -32_602 })
    })

    it('lists, gets and completes prompts under their exposed names', async () => {
      const { direct } = suite()
      const { prompts } = await direct.request('prompts/list')
      expect(prompts).toMatchObject([{ name: 'old__greet' }, { name: 'new__greet' }])
      for (const name of ['old__greet', 'new__greet']) {
        const prompt = await direct.request('prompts/get', { name, arguments: { name: 'Ada' } })
        expect(prompt).toMatchObject({ messages: [{ content: { text: 'Greet Ada' } }] })
        const ref = { type: 'ref/prompt', name }
        const argument = { name: 'name', value: 'a' }
        const completed = await direct.request('completion/complete', { ref, argument })
        expect(completed).toMatchObject({ completion: { values: ['ada'] } })
      }
    })
  })

  describe('what servers say on their own', () => {
    it('tells subscribers of a changed resource, not of another with the same name', async () => {
      const { direct } = suite()
      const uri = 'test://old+text'
      await direct.subscribe([uri])
      const updates = () =>
        direct.heard.filter(({ method }) => method === 'notifications/resources/updated')
      await call(direct, 'old__touch')
      await expect.poll(updates).toMatchObject([{ params: { uri } }])
      await call(direct, 'old__touch', { uri: 'test://blob' })
      await call(direct, 'new__touch')
      await call(direct, 'old__touch')
      await expect.poll(() => updates().map(({ params }) => params['uri'])).toEqual([uri, uri])
    })

    it.each(SERVERS)(
      'tells that the tools of %s have changed, and lists the new one',
      async (server) => {
        const { direct } = suite()
        await direct.subscribe([])
        const before = direct.heard.length
        const name = `added_${++UNIQUE.count}`
        await call(direct, `${server}__add_tool`, { name })
        await expect
          .poll(() => direct.heard.slice(before).map(({ method }) => method))
          .toContain('notifications/tools/list_changed')
        await expect.poll(async () => toolNames(direct)).toContain(`${server}__${name}`)
      },
    )

    it.each(SERVERS)('passes on log lines of a call to %s', async (server) => {
      const { direct } = suite()
      const text = `line ${++UNIQUE.count}`
      const modern = { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } }
      if (direct.era === 'legacy') await direct.request('logging/setLevel', { level: 'info' })
      await direct.request('tools/call', {
        name: `${server}__log`,
        arguments: { text },
        ...(direct.era === 'modern' && modern),
      })
      await expect
        .poll(() => direct.heard)
        .toContainEqual(
          expect.objectContaining({
            method: 'notifications/message',
            params: expect.objectContaining({ data: text, level: 'info' }),
          }),
        )
    })
  })

  describe.each(SERVERS)('a question of %s', (server) => {
    it.each([
      ['ask_roots', 'roots/list'],
      ['ask_sampling', 'sampling/createMessage'],
      ['ask_elicitation', 'elicitation/create'],
    ] as const)('of %s reaches the client, and its answer the server', async (tool, method) => {
      const result = await call(suite().direct, `${server}__${tool}`)
      expect(structured(result)).toMatchObject({ answer: ANSWERS[method] })
    })
  })
})
