import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Builtin, Source, SourcesPage } from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent, isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatAgo, formatWhole, plural } from '../../format.ts'
import { Badge, type Tone } from '../../ui/figures/badge.tsx'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { startJob } from '../../api/start-job.ts'
import { ConfirmButton } from '../../ui/notice/confirm-button.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { IngestForm } from './ingest-form.tsx'

interface SourcesProps {
  readonly collection: string
  /** Changes when documents are added or removed. */
  readonly revision: number
  readonly onStarted: () => void
}

/** The documents of the knowledge base, page by page. */
export function Sources({ collection, revision, onStarted }: SourcesProps) {
  const cursors = useSignal<readonly string[]>([])
  const cursor = cursors.value.at(-1)
  useEffect(() => {
    cursors.value = []
  }, [collection])
  const data = useData<Builtin<SourcesPage>>(
    JSON.stringify([collection, revision, cursor, asAgent()]),
    async (signal) =>
      ask('GET /knowledge/sources', {
        query: {
          ...(collection !== '' && { collection }),
          ...(cursor !== undefined && { cursor }),
          ...asAgent(),
        },
        signal,
      }),
  )
  return (
    <Panel title="Documents" flush>
      {isAdmin() && <IngestForm onStarted={onStarted} />}
      <BuiltinView data={data}>
        {({ sources, total, next }) =>
          sources.length === 0 ? (
            <Empty title="No documents yet" commands={['portolan ingest ./docs']}>
              Add a web page, a git repository, a file or a folder.
            </Empty>
          ) : (
            <>
              <Table
                label="Documents"
                rows={sources}
                columns={isAdmin() ? [...COLUMNS, actions(onStarted)] : COLUMNS}
                keyOf={({ id }) => id}
              />
              <Pager cursors={cursors} next={next}>
                <span class="dim">{plural(total, 'document')}</span>
              </Pager>
            </>
          )
        }
      </BuiltinView>
    </Panel>
  )
}

/** `onDone` is called when documents change, or are about to. */
function actions(onDone: () => void): Column<Source> {
  return {
    name: 'Action',
    render: ({ id, title, url: location, collection }) => (
      <span class="row-actions">
        <button
          type="button"
          class="quiet"
          aria-label={`Read again: ${title}`}
          onClick={() =>
            void startJob(
              ask('POST /knowledge/ingest', { body: { location, collection, ...asAgent() } }),
            ).then((isStarted) => isStarted && onDone())
          }
        >
          Read again
        </button>
        <ConfirmButton
          label="Delete"
          describedAs={`Delete ${title}`}
          question={`Delete ${title}?`}
          verb="Delete the document"
          action={async () => {
            const body = { source: id, ...asAgent() }
            const answer = await ask('POST /knowledge/delete', { body })
            toast(answer.message, answer.available ? 'ok' : 'bad')
            onDone()
          }}
        >
          Agents no longer find its passages. The file or page itself stays as it is.
        </ConfirmButton>
      </span>
    ),
  }
}

const TONES: Readonly<Record<Source['status'], Tone>> = {
  pending: 'idle',
  ingesting: 'info',
  complete: 'ok',
  failed: 'bad',
}

const WORDS: Readonly<Record<Source['status'], string>> = {
  pending: 'Waiting',
  ingesting: 'Reading',
  complete: 'Complete',
  failed: 'Failed',
}

const COLUMNS: readonly Column<Source>[] = [
  {
    name: 'Document',
    sortBy: ({ title }) => title,
    render: ({ title, url, error }) => (
      <>
        <span class="strong">{title}</span>
        <span class="sub mono clip" title={url}>
          {url}
        </span>
        {error && <span class="sub bad-text">{error.message}</span>}
      </>
    ),
  },
  {
    name: 'State',
    sortBy: ({ status }) => status,
    render: ({ status }) => <Badge tone={TONES[status]}>{WORDS[status]}</Badge>,
  },
  { name: 'Collection', class: 'dim', render: ({ collection }) => collection },
  { name: 'Format', class: 'dim', render: ({ format }) => format ?? '–' },
  {
    name: 'Passages',
    number: true,
    sortBy: ({ chunk_count: passages }) => passages,
    render: ({ chunk_count: passages }) => formatWhole(passages),
  },
  {
    name: 'Words',
    number: true,
    sortBy: ({ word_count: words }) => words,
    render: ({ word_count: words }) => formatWhole(words),
  },
  {
    name: 'Updated',
    number: true,
    sortBy: ({ updated_at: at }) => at,
    render: ({ updated_at: at }) => formatAgo(Date.parse(at)),
  },
]
