import { render } from 'preact'
import { followCalls } from './api/live.ts'
import { findMe } from './api/me.ts'
import { App } from './shell/app.tsx'
import { listenForShortcuts } from './shell/shortcuts.ts'
import { findRoute } from './routes.ts'
import { followLinks } from './router.ts'

followLinks((path) => findRoute(path) !== undefined)
listenForShortcuts()
followCalls()
// Whoever is not let in is asked for a key; any other failure shows on the page itself.
findMe().catch(() => undefined)
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)
