import type { User } from '../../../../src/dashboard/contract/access.ts'
import { ask } from '../../api/ask.ts'
import { ConfirmButton } from '../../ui/notice/confirm-button.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import type { NewInvitation } from './people.tsx'

interface PersonActionsProps {
  readonly user: User
  readonly onEdit: () => void
  readonly onInvited: (invitation: NewInvitation) => void
  readonly onChanged: () => void
}

export function PersonActions({ user, onEdit, onInvited, onChanged }: PersonActionsProps) {
  const { name, groups, role, state } = user
  const params = { user: name }
  return (
    <span class="row-actions">
      <button
        type="button"
        class="quiet"
        aria-label={`Edit groups and role of ${name}`}
        onClick={onEdit}
      >
        Edit
      </button>
      <ConfirmButton
        label="New link"
        describedAs={`New link for ${name}`}
        question={`A new link for ${name}?`}
        verb="Make the link"
        action={async () => {
          const body = { name, groups, role, again: true }
          onInvited({ ...(await ask('POST /users', { body })), name })
        }}
      >
        {state === 'active'
          ? 'Their password and all their sessions end at once, and the link lets them choose a new password.'
          : 'It lets them choose a password. Earlier links of theirs no longer work.'}
      </ConfirmButton>
      {state !== 'disabled' && (
        <ConfirmButton
          label="Disable"
          describedAs={`Disable ${name}`}
          question={`Disable ${name}?`}
          verb={`Disable ${name}`}
          action={async () => {
            await ask('POST /users/:user/disable', { params })
            toast(`${name} is disabled`)
            onChanged()
          }}
        >
          Their password, sessions and keys end at once, on every replica. A new link lets them in
          again.
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Remove"
        describedAs={`Remove ${name}`}
        question={`Remove ${name}?`}
        verb={`Remove ${name}`}
        action={async () => {
          await ask('POST /users/:user/remove', { params })
          toast(`${name} is removed`)
          onChanged()
        }}
      >
        Their password, sessions and keys end at once, on every replica, and their sign-ins to
        servers are deleted.
      </ConfirmButton>
    </span>
  )
}
