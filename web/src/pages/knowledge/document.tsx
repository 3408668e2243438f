import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Builtin, ReadPages } from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { Dialog } from '../../ui/notice/dialog.tsx'

const AROUND = 2
const MAX_AROUND = 5

interface DocumentProps {
  /** The passage at which it is opened. */
  readonly chunk: string | undefined
  readonly onClose: () => void
}

/** A document at the place that a passage cites, with what stands before and after it. */
export function Document({ chunk, onClose }: DocumentProps) {
  return (
    <Dialog title="Document" side open={chunk !== undefined} onClose={onClose}>
      {chunk !== undefined && <Body key={chunk} chunk={chunk} />}
    </Dialog>
  )
}

function Body({ chunk }: { readonly chunk: string }) {
  const around = useSignal(AROUND)
  const data = useData<Builtin<ReadPages>>(`${chunk} ${around.value}`, async (signal) =>
    ask('GET /knowledge/read', { query: { chunk, around: around.value, ...asAgent() }, signal }),
  )
  const isLoaded = data.loaded.value.state === 'ready'
  useEffect(() => {
    if (isLoaded) document.querySelector('.cited')?.scrollIntoView({ block: 'center' })
  }, [isLoaded])
  return (
    <BuiltinView data={data}>
      {({ passages }) => (
        <>
          {passages.map(({ chunk_id: id, citation, section_title: section, content }) => (
            <section
              key={id}
              class={`document-part ${id === chunk ? 'cited' : ''}`}
              aria-label={citation}
            >
              <h3>{section ?? citation}</h3>
              <p class="small">{citation}</p>
              <p class="document-text">{content}</p>
            </section>
          ))}
          {around.value < MAX_AROUND && (
            <button type="button" onClick={() => (around.value = MAX_AROUND)}>
              Show more before and after
            </button>
          )}
        </>
      )}
    </BuiltinView>
  )
}
