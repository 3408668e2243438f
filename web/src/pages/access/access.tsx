import { isAdmin } from '../../api/me.ts'
import { Page } from '../../ui/page.tsx'
import { Keys } from './keys.tsx'
import { Sessions } from './sessions.tsx'

/** The keys and sessions of agents and people. */
export function Access() {
  return (
    <Page
      title="Access"
      lead={
        isAdmin()
          ? 'The keys of all agents, and where people are signed in.'
          : 'Your own keys, and where you are signed in.'
      }
    >
      <Keys />
      <Sessions />
    </Page>
  )
}
