import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieOf } from '../../../base/net/cookies.ts'
import { userAccount } from '../accounts/accounts.ts'
import { MIN_PASSWORD_LENGTH } from '../accounts/users.ts'
import type { Proofs, Refusal } from '../accounts/proofs.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import type { DashboardSessions } from '../sessions/dashboard-sessions.ts'
import { DASHBOARD_VISIT, INVITATION, SIGN_IN_PATHS } from '../sign-in-paths.ts'
import { GONE, type SignInOptions } from '../sign-in.ts'
import type { TeamProvider } from '../team-provider.ts'
import { isOwnForm, markOf, readForm } from './form.ts'
import { markRefused, pageHeaders } from './html.ts'
import { invitationPage, problemPage, signInPage } from './pages.ts'

export interface DashboardVisitsOptions {
  readonly server: AuthorizationServer
  readonly proofs: Proofs
  readonly provider: TeamProvider | undefined
  readonly sessions: DashboardSessions
  readonly origin: string
  /** Returns the session cookie of the dashboard. */
  readonly cookie: (session: string, request: IncomingMessage) => string
  readonly onAttempt: SignInOptions['onAttempt']
}

const ADDRESS = `${SIGN_IN_PATHS.pages}/${DASHBOARD_VISIT}`
const COOKIE = 'portolan_visit'
const VISIT_S = 900

/** Serves the page on which people sign in to the dashboard, with the same accounts as clients. */
export function createDashboardVisits(options: DashboardVisitsOptions) {
  const { server, proofs, provider, sessions, origin, onAttempt } = options
  const { accounts, users, secrets } = server

  /** Returns the token for a form, and sets the cookie that it belongs to. */
  function tokenFor(request: IncomingMessage, response: ServerResponse): string {
    // One visit for all tabs of a browser, so that the form of each tab can be submitted.
    const visit = cookieOf(request, COOKIE) || randomBytes(32).toString('base64url')
    const secure = origin.startsWith('https:') ? '; Secure' : ''
    response.setHeader(
      'set-cookie',
      `${COOKIE}=${visit}; Path=${ADDRESS}; HttpOnly; SameSite=Strict; Max-Age=${VISIT_S}${secure}`,
    )
    return markOf(visit, secrets.formKey)
  }

  /** Reads a form; undefined if it is not ours. */
  async function ownForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
    const visit = cookieOf(request, COOKIE) ?? ''
    const form = await readForm(request)
    const isOurs = isOwnForm(request, form, { origin, visit, key: secrets.formKey })
    return visit !== '' && isOurs ? form : undefined
  }

  async function show(
    request: IncomingMessage,
    response: ServerResponse,
    refusal?: Refusal,
  ): Promise<void> {
    send(
      response,
      markRefused(response, refusal),
      signInPage({
        token: tokenFor(request, response),
        problem: refusal?.problem,
        hasUsers: (await users.list()).length > 0,
        provider: provider && { name: provider.name, address: `${ADDRESS}/provider` },
      }),
    )
  }

  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await ownForm(request)
    if (!form) return show(request, response, { problem: FOREIGN_FORM })
    const account = await proofs.prove(form)
    if ('problem' in account) {
      onAttempt({ to: DASHBOARD_VISIT, problem: account.problem })
      return show(request, response, account)
    }
    return enter(request, response, await accounts.save(account))
  }

  async function enter(
    request: IncomingMessage,
    response: ServerResponse,
    accountId: string,
  ): Promise<void> {
    const account = await accounts.find(accountId)
    onAttempt({ to: DASHBOARD_VISIT, ...(account ? { account } : { problem: GONE }) })
    const session = await sessions.begin(accountId, request.headers['user-agent'])
    response.setHeader('set-cookie', options.cookie(session, request))
    response.writeHead(303, { location: '/', 'cache-control': 'no-store' }).end()
  }

  /** Lets somebody who is invited choose a password, and signs them in with it. */
  async function welcome(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const code = new URL(request.url ?? '', origin).searchParams.get('code') ?? ''
    const name = await users.invited(code)
    if (name === undefined) return send(response, 410, problemPage(...USED))
    const form = request.method === 'POST' ? await ownForm(request) : undefined
    const password = form?.get('password') ?? ''
    const problem = request.method === 'POST' ? problemOf(password, form) : undefined
    if (!form || problem !== undefined) {
      const view = { name, minLength: MIN_PASSWORD_LENGTH, problem }
      const token = tokenFor(request, response)
      return send(response, problem ? 400 : 200, invitationPage({ token, ...view }))
    }
    const user = await users.accept(code, password)
    if (!user) return send(response, 410, problemPage(...USED))
    return enter(request, response, await accounts.save(userAccount(user)))
  }

  return {
    /** `step` is the path segment after the address of the page. */
    async handle(request: IncomingMessage, response: ServerResponse, step: string): Promise<void> {
      try {
        if (request.method === 'POST' && step === '') return await accept(request, response)
        if (step === INVITATION) return await welcome(request, response)
        if (step === 'provider' && provider) return await provider.begin(response, DASHBOARD_VISIT)
        if (step === 'finish' && provider)
          return await enter(request, response, provider.redeem(request, DASHBOARD_VISIT))
        await show(request, response)
      } catch {
        send(response, 400, problemPage('You are not signed in', WHY, 'Open the dashboard again.'))
      }
    },
  }
}

const WHY =
  'A sign-in must be finished within fifteen minutes, in the browser that started it; cookies must be allowed.'

const FOREIGN_FORM = 'The form has expired or did not come from this page: try again.'
const USED = [
  'This invitation is not valid',
  'It has been used, has ended, or another one was made after it.',
  'Ask the person who invited you for a new one.',
] as const

function problemOf(password: string, form: URLSearchParams | undefined): string | undefined {
  if (!form) return FOREIGN_FORM
  if (password.length < MIN_PASSWORD_LENGTH)
    return `The password is too short: take at least ${MIN_PASSWORD_LENGTH} characters.`
  return password === form.get('again') ? undefined : 'The two passwords are not the same.'
}

function send(response: ServerResponse, status: number, content: string): void {
  if (!response.headersSent) response.writeHead(status, pageHeaders()).end(content)
}
