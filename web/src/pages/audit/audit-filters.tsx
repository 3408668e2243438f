import type { AuditQuery, Decision } from '../../../../src/dashboard/contract/calls.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { queried, query, setQuery } from '../../router.ts'
import { formatDay } from '../../format.ts'
import { SearchField, SelectField } from '../../ui/fields.tsx'

const DECISIONS: readonly Decision[] = ['ALLOW', 'DENY', 'ERROR', 'TIMEOUT']

const SPANS = [
  { value: '', name: 'Any time' },
  { value: '15', name: 'Last 15 min' },
  { value: '60', name: 'Last hour' },
  { value: '1440', name: 'Last 24 h' },
  { value: '10080', name: 'Last 7 days' },
  { value: 'dates', name: 'From … to …' },
]

const WHAT = [
  { value: '', name: 'Calls and changes' },
  { value: 'dashboard', name: 'Changes by people' },
  { value: 'approvals', name: 'Approvals' },
  { value: 'tools/call', name: 'Tools, directly' },
  { value: 'execute_tool', name: 'Tools, by execute_tool' },
  { value: 'run_script', name: 'Scripts' },
]

/** The query parameters that narrow the list. */
const NAMES = [
  'q',
  'agent',
  'folder',
  'server',
  'tool',
  'decision',
  'operation',
  'last',
  'from',
  'to',
] as const

/** Reads the filters from the address of the page. */
export function toAuditQuery(search: URLSearchParams): AuditQuery {
  const text = (name: string) => search.get(name) ?? undefined
  const decision = DECISIONS.find((known) => known === search.get('decision'))
  const minutes = Number(search.get('last') ?? 0)
  const [from, to] = [toIso(search.get('from')), toIso(search.get('to'), DAY_MS)]
  const [agent, folder, server, tool] = ['agent', 'folder', 'server', 'tool'].map(text)
  const [operation, words] = ['operation', 'q'].map(text)
  return {
    ...(agent !== undefined && { agent }),
    ...(folder !== undefined && { folder }),
    ...(server !== undefined && { server }),
    ...(operation !== undefined && { operation }),
    ...(tool !== undefined && { tool }),
    ...(words !== undefined && { text: words }),
    ...(decision !== undefined && { decision }),
    ...(minutes > 0 && { since: new Date(Date.now() - minutes * 60_000).toISOString() }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
  }
}

/** The start of a day in the reader's time zone, or of the next one. */
function toIso(day: string | null, laterMs = 0): string | undefined {
  if (day === null || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const at = new Date(`${day}T00:00:00`).getTime()
  return Number.isNaN(at) ? undefined : new Date(at + laterMs).toISOString()
}

const DAY_MS = 86_400_000

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
      {queried('folder') !== '' && (
        <SelectField
          bare
          label="Folder"
          value={queried('folder')}
          choices={choices('Any folder', queried('folder'))}
          onChange={(folder) => setQuery({ folder })}
        />
      )}
      <SelectField
        bare
        label="What"
        value={queried('operation')}
        choices={WHAT}
        onChange={(operation) => setQuery({ operation })}
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
        value={hasDates() ? 'dates' : queried('last')}
        choices={SPANS}
        onChange={(last) =>
          setQuery(
            last === 'dates'
              ? { last: undefined, from: today(), to: today() }
              : { last, from: undefined, to: undefined },
          )
        }
      />
      {hasDates() && (
        <>
          <DateField label="From" name="from" />
          <DateField label="To" name="to" />
        </>
      )}
      {query.value.size > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() => setQuery(Object.fromEntries(NAMES.map((name) => [name, undefined])))}
        >
          Clear
        </button>
      )}
    </div>
  )
}

function hasDates(): boolean {
  return queried('from') !== '' || queried('to') !== ''
}

function today(): string {
  return formatDay(Date.now())
}

/** A day, up to and including which the list reaches. */
function DateField({ label, name }: { readonly label: string; readonly name: 'from' | 'to' }) {
  return (
    <label class="field">
      <span class="heard">{label}</span>
      <input
        type="date"
        value={queried(name)}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
      />
    </label>
  )
}

/** The current value stays a choice even if the name is no longer known. */
function choices(any: string, current: string, names: readonly string[] = []) {
  const all = current === '' || names.includes(current) ? names : [current, ...names]
  return [{ value: '', name: any }, ...all.map((name) => ({ value: name, name }))]
}
