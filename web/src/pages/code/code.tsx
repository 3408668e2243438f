import type {
  Builtin,
  CodeQuery,
  CodeResults,
} from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent } from '../../api/me.ts'
import { useBuiltin } from '../../api/use-builtin.ts'
import { queried, query, setQuery } from '../../router.ts'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Jobs } from '../../ui/jobs.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchBar } from '../../ui/search-bar.tsx'
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
  const state = useBuiltin(async (agent, signal) => ask('GET /code', { query: agent, signal }))
  const mode = query.value.get('mode') ?? 'ranked'
  const index = queried('index')
  const search = useSearch<Builtin<CodeResults>>(
    JSON.stringify([mode, index, asAgent()]),
    async (q, signal) => ask('GET /code/search', { query: toQuery(q, mode, index), signal }),
  )
  return (
    <Page title="Code" lead="What agents find in the projects they work on">
      <BuiltinView data={state}>
        {({ indexes, jobs }) => (
          <>
            <SearchBar
              label="Search code"
              placeholder="Words, a name, or a question; Enter searches"
              text={search.text}
              submit={search.submit}
            >
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
            </SearchBar>
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
