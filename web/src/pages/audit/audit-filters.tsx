import type { AuditQuery, Decision } from '../../../../src/dashboard/contract/calls.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { queried, query, setQuery } from '../../router.ts'
import { SearchField, SelectField } from '../../ui/fields.tsx'

const DECISIONS: readonly Decision[] = ['ALLOW', 'DENY', 'ERROR', 'TIMEOUT']

const SPANS = [
  { value: '', name: 'Any time' },
  { value: '15', name: 'Last 15 min' },
  { value: '60', name: 'Last hour' },
  { value: '1440', name: 'Last 24 h' },
  { value: '10080', name: 'Last 7 days' },
]

/** Reads the filters from the address of the page. */
export function toAuditQuery(search: URLSearchParams): AuditQuery {
  const text = (name: string) => search.get(name) ?? undefined
  const decision = DECISIONS.find((known) => known === search.get('decision'))
  const minutes = Number(search.get('last') ?? 0)
  const [agent, server, tool, words] = ['agent', 'server', 'tool', 'q'].map(text)
  return {
    ...(agent !== undefined && { agent }),
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
    ...(words !== undefined && { text: words }),
    ...(decision !== undefined && { decision }),
    ...(minutes > 0 && { since: new Date(Date.now() - minutes * 60_000).toISOString() }),
  }
}

export function AuditFilters() {
  const agents = useData('agents', async (signal) => ask('GET /agents', { signal }))
  const known = agents.loaded.value.value
  return (
    <div class="filters">
      <SearchField
        label="Search the audit log"
        placeholder="Anything: a tool, a rule, an error…"
        value={queried('q')}
        onInput={(q) => setQuery({ q })}
      />
      <SelectField
        bare
        label="Agent"
        value={queried('agent')}
        choices={choices(
          'Any agent',
          queried('agent'),
          known?.agents.map(({ id }) => id).filter((id) => id !== '*'),
        )}
        onChange={(agent) => setQuery({ agent })}
      />
      <SelectField
        bare
        label="Server"
        value={queried('server')}
        choices={choices('Any server', queried('server'), known?.servers)}
        onChange={(server) => setQuery({ server })}
      />
      <SelectField
        bare
        label="Decision"
        value={queried('decision')}
        choices={choices('Any decision', queried('decision'), DECISIONS)}
        onChange={(decision) => setQuery({ decision })}
      />
      <SelectField
        bare
        label="Time"
        value={queried('last')}
        choices={SPANS}
        onChange={(last) => setQuery({ last })}
      />
      {query.value.size > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            setQuery({ q: '', agent: '', server: '', tool: '', decision: '', last: '' })
          }
        >
          Clear
        </button>
      )}
    </div>
  )
}

/** The current value stays a choice even if the name is no longer known. */
function choices(any: string, current: string, names: readonly string[] = []) {
  const all = current === '' || names.includes(current) ? names : [current, ...names]
  return [{ value: '', name: any }, ...all.map((name) => ({ value: name, name }))]
}
