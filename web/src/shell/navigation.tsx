import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { me } from '../api/me.ts'
import { path } from '../router.ts'
import { ROUTES, type Route, isFor } from '../routes.ts'
import { Mark } from './mark.tsx'
import { Standing } from './standing.tsx'
import { WaitingBadge } from './waiting-badge.tsx'
import { goingSomewhere } from './shortcuts.ts'

const GROUPS: readonly Route['group'][] = ['Watch', 'Govern', 'Library']

export function Navigation() {
  const open = useSignal(false)
  const current = path.value
  const role = me.value?.role
  useEffect(() => {
    open.value = false
  }, [current])

  return (
    <div class={`side ${open.value ? 'open' : ''}`}>
      <div class="brand">
        <a href="/" class="wordmark">
          <Mark />
          Portolan
        </a>
        <button
          type="button"
          class="menu quiet"
          aria-expanded={open.value}
          aria-controls="pages"
          onClick={() => {
            open.value = !open.value
          }}
        >
          Menu
        </button>
      </div>
      <div class="side-rest" id="pages">
        <nav aria-label="Pages" class={goingSomewhere.value ? 'going' : ''}>
          {GROUPS.filter((group) =>
            ROUTES.some((route) => route.group === group && isFor(route, role)),
          ).map((group) => (
            <div key={group} class="nav-group">
              <p class="nav-title">{group}</p>
              <ul>
                {ROUTES.filter((route) => route.group === group && isFor(route, role)).map(
                  (route) => (
                    <NavLink key={route.path} route={route} current={route.path === current} />
                  ),
                )}
              </ul>
            </div>
          ))}
        </nav>
        <Standing />
      </div>
    </div>
  )
}

function NavLink({ route, current }: { readonly route: Route; readonly current: boolean }) {
  return (
    <li>
      <a
        href={route.path}
        aria-current={current ? 'page' : undefined}
        // Loads the page before the click.
        onPointerEnter={() => void route.load().catch(() => undefined)}
      >
        {route.name}
        {route.path === '/approvals' && <WaitingBadge />}
        <kbd aria-hidden="true">{route.key}</kbd>
      </a>
    </li>
  )
}
