import { useSignal } from '@preact/signals'
import type {
  Builtin,
  KnowledgeResults,
  KnowledgeState,
} from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatCount, plural } from '../../format.ts'
import { queried, setQuery } from '../../router.ts'
import { ActingAs } from '../../ui/calls/acting-as.tsx'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { SearchField, SelectField } from '../../ui/fields.tsx'
import { Jobs, isBusy } from '../../ui/jobs.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearch } from '../../ui/use-search.ts'
import { Passages } from './passages.tsx'
import { Sources } from './sources.tsx'

/** Search in the documents, the list of them, and running ingests. */
export function Knowledge() {
  const busy = useSignal(false)
  const agent = asAgent()
  const state = useData<Builtin<KnowledgeState>>(
    JSON.stringify(agent),
    async (signal) => {
      const answer = await ask('GET /knowledge', { query: agent, signal })
      busy.value = answer.available && isBusy(answer.jobs)
      return answer
    },
    busy.value ? 700 : 10_000,
  )
  const collection = queried('collection')
  const search = useSearch<Builtin<KnowledgeResults>>(
    JSON.stringify([collection, agent]),
    async (q, signal) =>
      ask('GET /knowledge/search', {
        query: { q, limit: 15, ...(collection !== '' && { collection }), ...agent },
        signal,
      }),
  )
  return (
    <Page title="Knowledge" lead={lead(state.loaded.value.value)}>
      <BuiltinView data={state}>
        {(known) => (
          <>
            <div class="filters big">
              <SearchField
                label="Search documents"
                placeholder="A question or a few words; Enter searches"
                value={search.text.value}
                onInput={(value) => {
                  search.text.value = value
                }}
                onEnter={search.submit}
              />
              {known.collections.length > 1 && (
                <SelectField
                  bare
                  label="Collection"
                  value={collection}
                  choices={[
                    { value: '', name: 'All collections' },
                    ...known.collections.map((name) => ({ value: name, name })),
                  ]}
                  onChange={(value) => setQuery({ collection: value })}
                />
              )}
              <ActingAs />
              <button type="button" class="primary" onClick={search.submit}>
                Search
              </button>
            </div>
            {search.error.value !== undefined && <Failure error={search.error.value} />}
            {search.asked !== '' && (
              <Passages answer={search.found.value} asked={search.asked} busy={search.busy.value} />
            )}
            <Jobs title="Adding" jobs={known.jobs} />
            <Sources collection={collection} revision={known.documents} onStarted={state.refresh} />
          </>
        )}
      </BuiltinView>
    </Page>
  )
}

function lead(state: Builtin<KnowledgeState> | undefined): string {
  if (state === undefined || !state.available)
    return 'Documents that agents answer from, with citations'
  const { documents, passages, tokens, embedder } = state
  const by =
    embedder === null ? 'searched by words' : `searched by words and by meaning (${embedder})`
  return `${plural(documents, 'document')}, ${plural(passages, 'passage')}, ${formatCount(tokens)} tokens, ${by}`
}
