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
// A refused visitor gets the sign-in page; any other failure is shown on the page itself.
findMe().catch(() => undefined)
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)
