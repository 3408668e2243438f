import type { Attack } from './report.ts'
import { Rig } from './rig.ts'

const PAYLOADS = [
  "' OR '1'='1",
  "'; DROP TABLE traces; --",
  '" OR ""="',
  "') OR 1=1 --",
  "' UNION SELECT secret, secret FROM api_keys --",
  '1; ATTACH DATABASE "/tmp/x" AS y',
  "\\'; DROP TABLE users; --",
  'a* OR b*',
  'NEAR(a b)',
  'title:secret',
  '{a b} : c',
  '"unbalanced',
  "'unbalanced",
  '((((',
  'a AND',
  'NOT NOT',
  '*',
  '^',
  '%',
  '_',
  'a%00b',
  'a\u0000b',
  '\uD800',
  '$1',
  '${jndi:ldap://127.0.0.1/a}',
  "x' || (select 1) || '",
]
const COMPLAINT = /SQLITE|syntax error|no such (?:table|column)|unterminated|fts5|SQLSTATE/i

/** Sends text in query syntax in every field that becomes part of a database query. */
export const injection: Attack = {
  name: 'SQL and query syntax',
  async run(field) {
    const rig = await Rig.open({
      settings: { builtins: { traces: true, knowledge: true } },
      files: {
        'docs/brake.md': '# Brakes\n\nThe hoist brake shall hold the rated load. '.repeat(8),
      },
      env: { PORTOLAN_TRACES_READ_TIMEOUT: '20', PORTOLAN_TRACES_WRITE_TIMEOUT: '20' },
    })
    await rig.call('knowledge__knowledge_ingest', { url: 'docs/brake.md', source_type: 'document' })
    for (const payload of PAYLOADS) {
      const asked: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
        ['traces__search_traces', { query: payload }],
        ['traces__search_traces', { query: 'brake', tags: [payload] }],
        ['traces__get_trace', { trace_id: payload }],
        ['knowledge__knowledge_search', { query: payload }],
        ['knowledge__knowledge_keyword_search', { query: payload }],
        ['knowledge__knowledge_sources', { collection: payload }],
      ]
      for (const [tool, args] of asked)
        await field.try(`${tool} ${JSON.stringify(args)}`, async () => {
          const answer = await rig.call(tool, args)
          return !COMPLAINT.test(answer)
        })
      await field.try(`a filter by ${payload} widens nothing`, async () => {
        const found = await rig.call('knowledge__knowledge_search', {
          query: 'hoist brake load',
          collection: payload,
        })
        return !found.includes('hoist brake shall hold')
      })
    }
    await field.try('what was there is there', async () => {
      const found = await rig.call('knowledge__knowledge_search', { query: 'hoist brake load' })
      return found.includes('hoist brake shall hold')
    })
    await field.try('and can be added to', async () => {
      const made = await rig.call('traces__contribute_trace', {
        title: 'A port in TIME_WAIT blocks the restart',
        context_text: 'bind fails with EADDRINUSE for a minute after the process has ended',
        solution_text: 'Set SO_REUSEADDR before bind, or wait until the kernel frees the port',
      })
      return made.includes('Trace submitted')
    })
    await rig.discard()
  },
}
