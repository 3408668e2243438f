import { isAdmin } from '../../api/me.ts'
import { Page } from '../../ui/page.tsx'
import { People } from './people.tsx'
import { Keys } from './keys.tsx'
import { Sessions } from './sessions.tsx'

/** The keys and sessions of agents and people. */
export function Access() {
  return (
    <Page
      title="Access"
      lead={
        isAdmin()
          ? 'The people who sign in, the keys of all agents, and who is signed in where.'
          : 'Your own keys, and where you are signed in.'
      }
    >
      {isAdmin() && <People />}
      <Keys />
      <Sessions />
    </Page>
  )
}
