import { useSignal } from '@preact/signals'
import type {
  Builtin,
  CodeQuery,
  CodeResults,
  CodeState,
} from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { queried, query, setQuery } from '../../router.ts'
import { ActingAs } from '../../ui/calls/acting-as.tsx'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { SearchField, SelectField } from '../../ui/fields.tsx'
import { Jobs, isBusy } from '../../ui/jobs.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearch } from '../../ui/use-search.ts'
import { CodeHits } from './code-hits.tsx'
import { CodeIndexes } from './code-indexes.tsx'

const MODES = [
  { value: 'ranked', name: 'Best match' },
  { value: 'exact', name: 'Exact text' },
  { value: 'regex', name: 'Regular expression' },
]

/** Search in the code that agents search, and the state of its indexes. */
export function Code() {
  const busy = useSignal(false)
  const agent = asAgent()
  const state = useData<Builtin<CodeState>>(
    JSON.stringify(agent),
    async (signal) => {
      const answer = await ask('GET /code', { query: agent, signal })
      busy.value = answer.available && isBusy(answer.jobs)
      return answer
    },
    busy.value ? 700 : 10_000,
  )
  const mode = query.value.get('mode') ?? 'ranked'
  const index = queried('index')
  const search = useSearch<Builtin<CodeResults>>(
    JSON.stringify([mode, index, agent]),
    async (q, signal) => ask('GET /code/search', { query: toQuery(q, mode, index), signal }),
  )
  return (
    <Page title="Code" lead="What agents find in the projects they work on">
      <BuiltinView data={state}>
        {({ indexes, jobs }) => (
          <>
            <div class="filters big">
              <SearchField
                label="Search code"
                placeholder="Words, a name, or a question; Enter searches"
                value={search.text.value}
                onInput={(value) => {
                  search.text.value = value
                }}
                onEnter={search.submit}
              />
              <SelectField
                bare
                label="How to match"
                value={mode}
                choices={MODES}
                onChange={(value) => setQuery({ mode: value })}
              />
              {indexes.length > 1 && (
                <SelectField
                  bare
                  label="Index"
                  value={index}
                  choices={[
                    { value: '', name: 'This project' },
                    ...indexes.map(({ name }) => ({ value: name, name })),
                  ]}
                  onChange={(value) => setQuery({ index: value })}
                />
              )}
              <ActingAs />
              <button type="button" class="primary" onClick={search.submit}>
                Search
              </button>
            </div>
            {search.error.value !== undefined && <Failure error={search.error.value} />}
            {search.asked !== '' && (
              <CodeHits answer={search.found.value} asked={search.asked} busy={search.busy.value} />
            )}
            <Jobs title="Indexing" jobs={jobs} />
            <CodeIndexes indexes={indexes} onStarted={state.refresh} />
          </>
        )}
      </BuiltinView>
    </Page>
  )
}

function toQuery(q: string, mode: string, index: string): CodeQuery {
  const known = (['ranked', 'exact', 'regex'] as const).find((name) => name === mode)
  return {
    q,
    limit: 20,
    ...(known !== undefined && { mode: known }),
    ...(index !== '' && { index }),
    ...asAgent(),
  }
}
