import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiError, toApiError } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { rememberPage, signIn } from '../api/me.ts'
import { Form } from '../ui/form.tsx'
import { Command } from '../ui/text/command.tsx'
import { Prose } from '../ui/text/prose.tsx'
import { Mark } from './mark.tsx'

/** Shown when the gateway requires a sign-in: with an account, if there are any, or with a key. */
export function SignIn() {
  const key = useSignal('')
  const error = useSignal<ApiError | undefined>(undefined)
  const busy = useSignal(false)
  const accounts = useSignal<string | null>(null)
  useEffect(() => {
    document.title = 'Sign in · Portolan'
    void findAccounts()
  }, [])

  /** If this fails, only the key is offered. */
  async function findAccounts(): Promise<void> {
    const answer = await ask('GET /sign-in').catch(() => undefined)
    accounts.value = answer?.accounts ?? null
  }

  async function submit(): Promise<void> {
    busy.value = true
    try {
      await signIn(key.value.trim())
    } catch (cause) {
      error.value = toApiError(cause)
    } finally {
      busy.value = false
    }
  }

  return (
    <main id="main" class="sign-in">
      <Form submit={submit}>
        <p class="wordmark">
          <Mark />
          Portolan
        </p>
        <h1>Sign in</h1>
        {accounts.value !== null && (
          <>
            <button
              type="button"
              class="primary"
              onClick={() => {
                rememberPage()
                location.assign(accounts.value ?? '/')
              }}
            >
              Sign in with your account
            </button>
            <p class="small">Or with a key:</p>
          </>
        )}
        <label class="field">
          <span class="field-label">Key</span>
          <input
            type="password"
            autocomplete="current-password"
            value={key.value}
            onInput={(event) => {
              key.value = event.currentTarget.value
            }}
          />
        </label>
        {error.value !== undefined && (
          <p class="failure-line" role="alert">
            {error.value.message}
            {error.value.hint !== undefined && (
              <>
                {'. '}
                <Prose text={error.value.hint} />
              </>
            )}
          </p>
        )}
        <button
          type="submit"
          class={accounts.value === null ? 'primary' : ''}
          disabled={busy.value || key.value.trim() === ''}
        >
          {accounts.value === null ? 'Sign in' : 'Sign in with the key'}
        </button>
        <p class="small">
          No key yet? Where the gateway runs, make one that may look, or one that may change things:
        </p>
        <Command text="portolan keys create dashboard --role viewer" />
        <Command text="portolan keys create dashboard --role admin" />
      </Form>
    </main>
  )
}
