import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type {
  Builtin,
  TracesPage,
  TracesQuery,
} from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent, isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { plural } from '../../format.ts'
import { queried, query, setQuery } from '../../router.ts'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchBar } from '../../ui/search-bar.tsx'
import { TraceDetails } from './trace-details.tsx'
import { TraceList } from './trace-list.tsx'

const STATUSES = [
  { value: '', name: 'Any status' },
  { value: 'validated', name: 'Validated' },
  { value: 'pending', name: 'Pending' },
]

/** The traces of agents: to browse, search and moderate. */
export function Traces() {
  const text = useSignal(query.peek().get('q') ?? '')
  const cursors = useSignal<readonly string[]>([])
  const filter = toTracesQuery(query.value)
  const key = JSON.stringify(filter)
  const cursor = cursors.value.at(-1)
  useEffect(() => {
    cursors.value = []
    text.value = query.peek().get('q') ?? ''
  }, [key])
  const data = useData<Builtin<TracesPage>>(JSON.stringify([key, cursor]), async (signal) =>
    ask('GET /traces', { query: { ...filter, ...(cursor !== undefined && { cursor }) }, signal }),
  )
  const tags = useTags(data.loaded.value.value)
  return (
    <Page title="Traces" lead={lead(data.loaded.value.value)}>
      <SearchBar
        label="Search traces"
        placeholder="An error, a symptom, a tool; Enter searches"
        text={text}
        submit={() => setQuery({ q: text.value.trim() })}
      >
        <SelectField
          bare
          label="Tag"
          value={queried('tag')}
          choices={[
            { value: '', name: 'Any tag' },
            ...tags.map((tag) => ({ value: tag, name: tag })),
          ]}
          onChange={(tag) => setQuery({ tag })}
        />
        <SelectField
          bare
          label="Status"
          value={queried('status')}
          choices={STATUSES}
          onChange={(status) => setQuery({ status })}
        />
        {isAdmin() && (
          <button
            type="button"
            aria-pressed={queried('flagged') === '1'}
            onClick={() => setQuery({ flagged: queried('flagged') === '1' ? '' : '1' })}
          >
            Reported
          </button>
        )}
      </SearchBar>
      <BuiltinView data={data}>
        {(page) => (
          <TraceList page={page} cursors={cursors} filtered={key !== JSON.stringify(asAgent())} />
        )}
      </BuiltinView>
      <TraceDetails
        id={query.value.get('trace') ?? undefined}
        onClose={() => setQuery({ trace: undefined })}
        onChanged={data.refresh}
      />
    </Page>
  )
}

/** Keeps the offered tags while a page loads. */
function useTags(answer: Builtin<TracesPage> | undefined): readonly string[] {
  const kept = useSignal<readonly string[]>([])
  useEffect(() => {
    if (answer?.available) kept.value = answer.tags
  }, [answer])
  const chosen = queried('tag')
  return chosen === '' || kept.value.includes(chosen) ? kept.value : [chosen, ...kept.value]
}

function toTracesQuery(search: URLSearchParams): TracesQuery {
  const q = search.get('q') ?? ''
  const tag = search.get('tag') ?? ''
  const status = (['pending', 'validated'] as const).find((known) => known === search.get('status'))
  return {
    ...(q !== '' && { q }),
    ...(tag !== '' && { tag }),
    ...(status !== undefined && { status }),
    ...(search.get('flagged') === '1' && { flagged: '1' }),
    ...asAgent(),
  }
}

function lead(answer: Builtin<TracesPage> | undefined): string {
  if (answer === undefined || !answer.available || answer.total === null)
    return 'What agents have learnt, and confirmed for each other'
  return `${plural(answer.total, 'trace')} that agents have left for each other`
}
