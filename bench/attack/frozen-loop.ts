import type { JsonObject } from '../../src/base/json/json.ts'
import { LoopProbe } from './loop-probe.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

/** No request below a megabyte may block the event loop for longer. */
export const MAX_BLOCKED_MS = 250

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

/** Small requests that make careless code block the thread that serves all clients for minutes. */
export const frozenLoop: Attack = {
  name: 'one request freezes the loop',
  async run(field) {
    const rig = await Rig.open({
      servers: { evil: hostile() },
      settings: {
        builtins: { traces: true, knowledge: true, code: true },
        budgets: { maxTokens: 500 },
      },
      files: {
        [`docs/${'a'.repeat(100)}.md`]: '# A\n\nSome words about nothing in particular.',
        'src/a.ts': `export function ${'a'.repeat(60)}(): void {}\n`,
      },
    })
    await rig.call('code__index_codebase', { path: rig.folder })
    const large = await rig.value('evil__large', { lines: 100_000 })
    const handle = /"handle":"?([\w-]+)|handle[^\w]+([\w-]{8,})/.exec(JSON.stringify(large))
    const stored = handle?.[1] ?? handle?.[2] ?? 'none'
    const stars = `${'*a'.repeat(24)}*b`
    const call = (name: string, args: JsonObject) => async () => rig.call(name, args)
    const words = Array.from({ length: 20_000 }, (_, n) => `word${n}`).join('|')
    const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
      'grep of 20,000 words': call('read_result', { handle: stored, grep: words }),
      'grep of one long word': call('read_result', { handle: stored, grep: 'x'.repeat(900_000) }),
      'select that multiplies': call('read_result', {
        handle: stored,
        select: `[${'@,'.repeat(60)}@][]`,
      }),
      'select, nested 2,000 deep': call('read_result', {
        handle: stored,
        select: '['.repeat(2_000) + ']'.repeat(2_000),
      }),
      'recursive anyOf, 14 deep': call('evil__recursive', { value: nested(14) }),
      'recursive anyOf, 60 deep': call('evil__recursive', { value: nested(60) }),
      'recursive anyOf, 2,000 deep': call('evil__recursive', { value: nested(2_000) }),
      'uniqueItems of 60,000': call('evil__unique', {
        items: Array.from({ length: 60_000 }, (_, n) => ({ n })),
      }),
      'pattern ^(a|a)*$': call('evil__pattern', { a: `${'a'.repeat(40)}b` }),
      'pattern of nested groups': call('evil__pattern', { b: 'a'.repeat(60) }),
      'pattern with two blanks': call('evil__pattern', { c: ' '.repeat(50_000) }),
      'pattern (\\w|\\d)*': call('evil__pattern', { d: '1'.repeat(40) }),
      'batch of 15,000': async () => rig.post(batch(15_000)),
      'batch of nothing': async () => rig.post('[]'),
      'array 200,000 deep': async () => rig.post('['.repeat(200_000) + ']'.repeat(200_000)),
      'object 100,000 deep': async () =>
        rig.post(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
      'numbers of 400,000 digits': async () =>
        rig.post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":${'9'.repeat(400_000)}}}`),
      'escapes, 150,000': async () =>
        rig.post(
          `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":"${'\\u0000'.repeat(150_000)}"}}`,
        ),
      '60,000 keys': async () =>
        rig.post(
          JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'ping',
            params: Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n])),
          }),
        ),
      'knowledge_ingest with stars': call('knowledge__knowledge_ingest', {
        url: 'docs',
        source_type: 'document',
        include: [stars],
      }),
      'search_code with stars': call('code__search_code', { query: 'a', symbol_name: stars }),
      'find_symbol with stars': call('code__find_symbol', { name: stars }),
      'search_code by a hostile pattern': call('code__search_code', {
        query: '(a+)+$',
        mode: 'regex',
      }),
      'get_server_tools with stars': call('get_server_tools', { server: 'evil', pattern: stars }),
      'get_server_tools with many stars': call('get_server_tools', {
        server: 'evil',
        pattern: '*'.repeat(500_000),
      }),
      'find_tools with 900,000 letters': call('find_tools', { query: 'a '.repeat(450_000) }),
      'find_tools with 50,000 questions': call('find_tools', {
        query: 'read a file;'.repeat(50_000),
      }),
      'a tool name of 900,000 letters': call(`evil__${'a'.repeat(900_000)}`, {}),
      'a server name of 900,000 letters': call('execute_tool', {
        server: 'e'.repeat(900_000),
        tool: 'x',
      }),
      'resources/read of a long address': async () =>
        rig.request('resources/read', { uri: `test://${'a/'.repeat(400_000)}` }),
      'completion of a long value': async () =>
        rig.request('completion/complete', {
          ref: { type: 'ref/prompt', name: 'x' },
          argument: { name: 'a', value: 'x'.repeat(900_000) },
        }),
      'search_traces with 900,000 letters': call('traces__search_traces', {
        query: 'word '.repeat(180_000),
      }),
      'contribute_trace with 900,000 letters': call('traces__contribute_trace', {
        title: 'a'.repeat(200),
        context_text: 'a b '.repeat(110_000),
        solution_text: 'key= '.repeat(90_000),
      }),
      'knowledge_search with 900,000 letters': call('knowledge__knowledge_search', {
        query: '§1.2.3 '.repeat(120_000),
      }),
      'a header of 12,000 letters': async () =>
        rig.post('{}', { headers: { 'x-agent-id': 'a'.repeat(12_000) } }),
    }
    for (const [name, attempt] of Object.entries(attempts))
      await field.try(name, async () => {
        const probe = LoopProbe.start(rig)
        await attempt().catch(() => undefined)
        const blockedMs = await probe.stop()
        console.log(`  ${name}: ${Math.round(blockedMs)} ms`)
        if (blockedMs > MAX_BLOCKED_MS) throw new Error(`${Math.round(blockedMs)} ms`)
        return rig.isAlive()
      })
    await rig.discard()
  },
}

function batch(length: number): string {
  return JSON.stringify(
    Array.from({ length }, (_, n) =>
      n % 2 === 0
        ? { jsonrpc: '2.0', method: 'notifications/x' }
        : { jsonrpc: '2.0', id: n, method: 'ping' },
    ),
  )
}
