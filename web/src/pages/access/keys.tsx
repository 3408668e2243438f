import { useSignal } from '@preact/signals'
import type { AccessKey, CreatedKey } from '../../../../src/dashboard/contract/access.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatDate } from '../../format.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Command } from '../../ui/text/command.tsx'
import { ConfirmButton } from '../../ui/notice/confirm-button.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { NewKeyForm } from './new-key-form.tsx'

export function Keys() {
  const data = useData('keys', async (signal) => ask('GET /keys', { signal }))
  const created = useSignal<CreatedKey | undefined>(undefined)
  return (
    <Panel title="Keys">
      {isAdmin() && (
        <NewKeyForm
          onCreated={(key) => {
            created.value = key
            data.refresh()
          }}
        />
      )}
      {created.value !== undefined && <NewKey created={created.value} />}
      <Show data={data}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title="No keys yet">
              A key is how an agent, or a person without an account, proves who it is.
            </Empty>
          ) : (
            <Table
              label="Keys"
              rows={keys}
              columns={columns(data.refresh)}
              keyOf={({ id }) => id}
            />
          )
        }
      </Show>
    </Panel>
  )
}

/** Shows a new key, which cannot be shown again later. */
function NewKey({ created: { key, secret } }: { readonly created: CreatedKey }) {
  return (
    <div class="new-key" role="status">
      <p>
        The key of <strong>{key.agent}</strong>. Copy it now: it is not shown again.
      </p>
      <Command text={secret} />
    </div>
  )
}

const TONES = { good: 'ok', expired: 'idle', revoked: 'idle' } as const

function columns(refresh: () => void): readonly Column<AccessKey>[] {
  return [
    { name: 'Agent', sortBy: ({ agent }) => agent, render: ({ agent }) => agent },
    { name: 'Role', sortBy: ({ role }) => role, render: ({ role }) => role },
    {
      name: 'State',
      sortBy: ({ state }) => state,
      render: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
    },
    {
      name: 'Created',
      class: 'dim',
      sortBy: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => formatDate(createdAt),
    },
    {
      name: 'Ends',
      class: 'dim',
      render: ({ expiresAt, revokedAt }) => formatDate(revokedAt ?? expiresAt),
    },
    { name: 'Id', class: 'dim', render: ({ id }) => <code>{id}</code> },
    {
      name: 'Action',
      render: ({ id, agent, state }) =>
        state === 'good' && (
          <ConfirmButton
            label="Revoke"
            describedAs={`Revoke key ${id} of ${agent}`}
            question={`Revoke the key of ${agent}?`}
            verb="Revoke the key"
            action={async () => {
              await ask('POST /keys/:key/revoke', { params: { key: id } })
              toast(`Key ${id} of ${agent} is revoked`)
              refresh()
            }}
          >
            Whatever uses it stops at once, on every replica.
          </ConfirmButton>
        ),
    },
  ]
}
