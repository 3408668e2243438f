import { useSignal } from '@preact/signals'
import type { Invitation, Role, User } from '../../../../src/dashboard/contract/access.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { formatDate } from '../../format.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Command } from '../../ui/text/command.tsx'
import { PersonActions } from './person-actions.tsx'
import { RightsFields, toNames } from './rights-fields.tsx'

const REFRESH_MS = 10_000

/** A link for a person, which is shown once. */
export interface NewInvitation extends Invitation {
  readonly name: string
}

/** The people who sign in with a name and a password; for admins. */
export function People() {
  const data = useData('users', async (signal) => ask('GET /users', { signal }), REFRESH_MS)
  const invitation = useSignal<NewInvitation | undefined>(undefined)
  const edited = useSignal<User | undefined>(undefined)

  function invited(made: NewInvitation): void {
    invitation.value = made
    data.refresh()
  }

  return (
    <Panel title="People">
      <Show data={data}>
        {({ users, groups }) =>
          users === null ? (
            <Empty title="Nobody signs in here with a password">
              With <code>listen.publicUrl</code> people sign in by name; then you invite them here.
            </Empty>
          ) : (
            <>
              <InviteForm known={groups} onInvited={invited} />
              {invitation.value !== undefined && <InvitationLink invitation={invitation.value} />}
              {users.length === 0 ? (
                <Empty title="No people yet">
                  Invite the first one: they choose a password themselves.
                </Empty>
              ) : (
                <Table
                  label="People"
                  rows={users}
                  columns={[
                    ...COLUMNS,
                    {
                      name: 'Action',
                      render: (user) => (
                        <PersonActions
                          user={user}
                          onEdit={() => (edited.value = user)}
                          onInvited={invited}
                          onChanged={data.refresh}
                        />
                      ),
                    },
                  ]}
                  keyOf={({ name }) => name}
                />
              )}
              <Dialog
                title={`Groups and role of ${edited.value?.name ?? ''}`}
                open={edited.value !== undefined}
                onClose={() => (edited.value = undefined)}
              >
                {edited.value && (
                  <EditForm
                    user={edited.value}
                    known={groups}
                    onDone={() => {
                      edited.value = undefined
                      data.refresh()
                    }}
                  />
                )}
              </Dialog>
            </>
          )
        }
      </Show>
    </Panel>
  )
}

interface InviteFormProps {
  readonly known: readonly string[]
  readonly onInvited: (invitation: NewInvitation) => void
}

function InviteForm({ known, onInvited }: InviteFormProps) {
  const name = useSignal('')
  const groups = useSignal('')
  const role = useSignal<Role>('agent')

  async function invite(): Promise<void> {
    const body = { name: name.value.trim(), groups: toNames(groups.value), role: role.value }
    onInvited({ ...(await ask('POST /users', { body })), name: body.name })
    name.value = ''
  }

  return (
    <Form class="new-key-form" submit={async () => act(invite)}>
      <TextField label="Name or e-mail address" {...boundTo(name)} />
      <RightsFields groups={groups} role={role} known={known} />
      <button type="submit" class="primary" disabled={name.value.trim() === ''}>
        Invite
      </button>
    </Form>
  )
}

function InvitationLink({ invitation }: { readonly invitation: NewInvitation }) {
  const { name, link, expiresAt } = invitation
  return (
    <div class="new-key" role="status">
      <p>
        Send this link to <strong>{name}</strong>. It works once, until {formatDate(expiresAt)}, and
        is not shown again: whoever opens it chooses the password.
      </p>
      <Command text={link} />
    </div>
  )
}

interface EditFormProps {
  readonly user: User
  readonly known: readonly string[]
  readonly onDone: () => void
}

function EditForm({ user, known, onDone }: EditFormProps) {
  const groups = useSignal(user.groups.join(', '))
  const role = useSignal<Role>(user.role)

  async function save(): Promise<void> {
    const body = { groups: toNames(groups.value), role: role.value }
    await ask('POST /users/:user', { params: { user: user.name }, body })
    toast(`${user.name} has these groups and this role at once`)
    onDone()
  }

  return (
    <Form class="edit-person" submit={async () => act(save)}>
      <RightsFields groups={groups} role={role} known={known} />
      <button type="submit" class="primary">
        Save
      </button>
    </Form>
  )
}

const TONES = { active: 'ok', invited: 'info', disabled: 'idle' } as const

const COLUMNS: readonly Column<User>[] = [
  { name: 'Name', sortBy: ({ name }) => name, render: ({ name }) => name },
  {
    name: 'Groups',
    sortBy: ({ groups }) => groups.join(),
    render: ({ groups }) =>
      groups.length === 0 ? <span class="dim">none</span> : groups.join(', '),
  },
  { name: 'Role', sortBy: ({ role }) => role, render: ({ role }) => role },
  {
    name: 'State',
    sortBy: ({ state }) => state,
    render: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
  },
  {
    name: 'Since',
    class: 'dim',
    sortBy: ({ createdAt }) => createdAt,
    render: ({ createdAt }) => formatDate(createdAt),
  },
]
