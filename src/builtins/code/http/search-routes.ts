import { withoutFailure } from './status-error.ts'
import { type CodeApi, bodyOf, listOf, only, required } from './visit.ts'

const FILTERS = ['index_name', 'index_names', 'limit', 'language', 'symbol_type', 'symbol_name']

/** Routes that search, explain a search, and call any tool by its name. */
export function searchRoutes(api: CodeApi): void {
  api.post('/api/search', async (c) => {
    const body = await bodyOf(c)
    const query = required(body, 'query')
    const begun = performance.now()
    const answer = await c.get('visit').tool('search_code', {
      query,
      smart_context: body['smart_context'] === true,
      include_deps: body['include_deps'] === true,
      ...only(body, ...FILTERS, 'min_score', 'context_before', 'context_after', 'rewrite_query'),
      ...('use_hybrid' in body && { use_hybrid_search: body['use_hybrid'] }),
    })
    const items = listOf(answer).map(withoutFailure)
    const results = items.filter((item) => 'file_path' in item)
    const rewrite = items.find(({ type }) => type === 'query_rewrite')
    return c.json({
      success: true,
      results,
      query_time_ms: Math.round(10 * (performance.now() - begun)) / 10,
      total: results.length,
      ...(rewrite && {
        original_query: rewrite['original'],
        rewritten_query: rewrite['rewritten'],
      }),
      notes: items.filter((item) => !('file_path' in item)),
    })
  })
  api.post('/api/analyze', async (c) => {
    const body = await bodyOf(c)
    const query = required(body, 'query')
    const answer = await c.get('visit').tool('analyze_query', {
      query,
      ...only(body, ...FILTERS, 'rewrite_query'),
      ...('use_hybrid' in body && { use_hybrid_search: body['use_hybrid'] }),
    })
    return c.json({ success: true, ...withoutFailure(answer) })
  })
  // Answers exactly as the tool's contract says, failures included: for Portolan's own clients.
  api.post('/api/tools/:tool', async (c) => {
    const answer = await c.get('visit').tool(c.req.param('tool'), await bodyOf(c))
    return c.json(Array.isArray(answer['result']) ? answer['result'] : answer)
  })
}
