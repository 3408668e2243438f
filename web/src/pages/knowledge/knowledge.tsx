import type {
  Builtin,
  KnowledgeResults,
  KnowledgeState,
} from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent } from '../../api/me.ts'
import { useBuiltin } from '../../api/use-builtin.ts'
import { formatCount, plural } from '../../format.ts'
import { queried, setQuery } from '../../router.ts'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Jobs } from '../../ui/jobs.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchBar } from '../../ui/search-bar.tsx'
import { useSearch } from '../../ui/use-search.ts'
import { Document } from './document.tsx'
import { Passages } from './passages.tsx'
import { Sources } from './sources.tsx'

/** Search in the documents, the list of them, and running ingests. */
export function Knowledge() {
  const agent = asAgent()
  const state = useBuiltin(async (query, signal) => ask('GET /knowledge', { query, signal }))
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
            <SearchBar
              label="Search documents"
              placeholder="A question or a few words; Enter searches"
              text={search.text}
              submit={search.submit}
            >
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
            </SearchBar>
            {search.error.value !== undefined && <Failure error={search.error.value} />}
            {search.asked !== '' && (
              <Passages answer={search.found.value} asked={search.asked} busy={search.busy.value} />
            )}
            <Jobs title="Adding" jobs={known.jobs} />
            <Document
              chunk={queried('chunk') || undefined}
              onClose={() => setQuery({ chunk: undefined })}
            />
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
  const { documents, total_chunks: passages, total_tokens: tokens, config } = state
  const { embedding_model: embedder } = config
  const by =
    embedder === null ? 'searched by words' : `searched by words and by meaning (${embedder})`
  return `${plural(documents, 'document')}, ${plural(passages, 'passage')}, ${formatCount(tokens)} tokens, ${by}`
}
