import { liveState } from '../api/live.ts'
import { me, signOut } from '../api/me.ts'
import { nextTheme, theme } from '../theme.ts'
import { toast } from '../ui/notice/toasts.tsx'
import { helpOpen } from './shortcuts.ts'

const LIVE_WORDS = { connecting: 'Connecting', open: 'Live', lost: 'Reconnecting' } as const
const LIVE_TONES = { connecting: 'idle', open: 'ok', lost: 'warn' } as const
const ROLE_WORDS = { admin: 'Admin', viewer: 'Read-only', agent: 'Your own things' } as const
const SIGNED_IN: readonly string[] = ['cookie', 'local']
const THEME_WORDS = { system: 'Auto', light: 'Light', dark: 'Dark' } as const

async function leave(): Promise<void> {
  await signOut().catch(() => toast('Signing out failed: the gateway does not answer', 'bad'))
}

/** The foot of the navigation: connection state, current user, theme, help and sign-out. */
export function Standing() {
  const who = me.value
  return (
    <div class="standing">
      {who?.role !== 'agent' && (
        <p class={`live-state ${LIVE_TONES[liveState.value]}`} role="status">
          {LIVE_WORDS[liveState.value]}
        </p>
      )}
      {who !== undefined && (
        <p class="who">
          {who.mayChange ? ROLE_WORDS[who.role] : 'Read-only'}
          {who.via === 'cookie' && who.agent !== null && <span> · {who.agent}</span>}
          <span class="version"> · v{who.version}</span>
        </p>
      )}
      {who?.mayChange === false && (
        <p class="small">
          To change something, open this page with <code>portolan dashboard</code>
        </p>
      )}
      <div class="standing-buttons">
        <button
          type="button"
          class="quiet"
          aria-label={`Theme: ${THEME_WORDS[theme.value]}. Change`}
          onClick={() => {
            theme.value = nextTheme()
          }}
        >
          {THEME_WORDS[theme.value]}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            helpOpen.value = true
          }}
        >
          Keys <kbd>?</kbd>
        </button>
        {who !== undefined && SIGNED_IN.includes(who.via) && (
          <button type="button" class="quiet" onClick={() => void leave()}>
            Sign out
          </button>
        )}
      </div>
    </div>
  )
}
