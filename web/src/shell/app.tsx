import { signedOut } from '../api/ask.ts'
import { Toasts } from '../ui/notice/toasts.tsx'
import { Help } from './help.tsx'
import { Navigation } from './navigation.tsx'
import { Outlet } from './outlet.tsx'
import { SignIn } from './sign-in.tsx'

export function App() {
  if (signedOut.value) return <SignIn />
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="shell">
        <Navigation />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Help />
      <Toasts />
    </>
  )
}
