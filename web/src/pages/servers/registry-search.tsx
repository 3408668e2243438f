import { useSignal } from '@preact/signals'
import type { FoundServers } from '../../../../src/dashboard/contract/additions.ts'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { Form } from '../../ui/form.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { Notices } from '../../ui/notice/notices.tsx'

interface RegistrySearchProps {
  /** Called with the name and version of a server. */
  readonly onChosen: (text: string) => void
}

/** Finds servers in the registries of the settings. */
export function RegistrySearch({ onChosen }: RegistrySearchProps) {
  const words = useSignal('')
  const found = useSignal<FoundServers | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const busy = useSignal(false)

  async function search(): Promise<void> {
    busy.value = true
    error.value = undefined
    try {
      found.value = await ask('POST /servers/search', { body: { words: words.value } })
    } catch (cause) {
      error.value = toApiError(cause)
    }
    busy.value = false
  }

  return (
    <>
      <Form class="filters" submit={search}>
        <TextField label="Words to search for" {...boundTo(words)} />
        <button type="submit" class="primary" disabled={busy.value || words.value.trim() === ''}>
          {busy.value ? 'Searching…' : 'Search'}
        </button>
      </Form>
      {error.value !== undefined && <Failure error={error.value} />}
      {found.value !== undefined && (
        <>
          <Notices notes={found.value.problems} />
          {found.value.hits.length === 0 && (
            <Empty title="No server found">Try the name of the product, or one word fewer.</Empty>
          )}
          <ul class="hits" aria-label="Servers found">
            {found.value.hits.map(({ name, title, description, version, status }) => (
              <li key={name}>
                <div>
                  <b>{title ?? name}</b> <span class="dim">{version}</span>{' '}
                  {status !== 'active' && <Badge tone="warn">{status}</Badge>}
                  <span class="sub">{description}</span>
                  {title !== null && <code class="sub">{name}</code>}
                </div>
                <button
                  type="button"
                  aria-label={`Choose ${name}`}
                  onClick={() => onChosen(`${name}@${version}`)}
                >
                  Choose
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
