import type { IncomingMessage, ServerResponse } from 'node:http'
import { EFFECTS, type Effect } from '../../../gateway/tools/effect.ts'
import type { Principal } from '../../../gateway/agents/policy.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Proofs, Refusal } from '../accounts/proofs.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import { isOwnForm, markOf, readForm } from './form.ts'
import { markRefused, pageHeaders } from './html.ts'
import { type ClientView, consentPage, problemPage, signInPage } from './pages.ts'
import { SCOPES, toEffects, toScope } from '../tokens/scopes.ts'
import { SIGN_IN_PATHS } from '../sign-in-paths.ts'
import { type AllowedServer, GONE, type SignInOptions } from '../sign-in.ts'
import type { TeamProvider } from '../team-provider.ts'

export interface VisitsOptions {
  readonly server: AuthorizationServer
  readonly origin: string
  readonly proofs: Proofs
  readonly provider: TeamProvider | undefined
  /** Returns the servers that the rules allow to a principal. */
  readonly serversOf: (who: Principal) => readonly AllowedServer[]
  readonly onAttempt: SignInOptions['onAttempt']
}

type Visit = Awaited<ReturnType<AuthorizationServer['provider']['interactionDetails']>>

/** Serves the pages between a client's request and its code: sign-in and consent. */
export function createVisits(options: VisitsOptions) {
  const { server, origin, proofs, provider, serversOf, onAttempt } = options
  const { provider: oidc, accounts, users, secrets } = server

  /** Requires the browser that began the visit: its cookie and the address must both name it. */
  async function visitOf(request: IncomingMessage, response: ServerResponse): Promise<Visit> {
    const visit = await oidc.interactionDetails(request, response)
    if (visit.uid !== uidIn(request))
      throw new Problem('This sign-in was started in another window')
    return visit
  }

  async function show(response: ServerResponse, visit: Visit, refusal?: Refusal): Promise<void> {
    const client = await clientOf(visit)
    const token = markOf(visit.uid, secrets.formKey)
    const isConsent = visit.prompt.name === 'consent'
    const account = isConsent ? await accountOf(visit) : undefined
    const servers = account
      ? serversOf({ id: account.agent, ...(account.person && { person: account.person }) })
      : []
    const isAllowed = (effect: Effect) =>
      servers.length === 0 || servers.some(({ effects }) => effects.includes(effect))
    send(
      response,
      markRefused(response, refusal),
      account
        ? consentPage({
            client,
            token,
            agent: account.agent,
            via: VIA[account.source],
            groups: account.person?.groups ?? [],
            servers,
            effects: asked(visit).filter(isAllowed),
            denied: asked(visit).filter((effect) => !isAllowed(effect)),
          })
        : signInPage({
            client,
            token,
            problem: refusal?.problem,
            hasUsers: (await users.list()).length > 0,
            provider: provider && {
              name: provider.name,
              address: `${SIGN_IN_PATHS.pages}/${visit.uid}/provider`,
            },
          }),
      targetsOf(visit),
    )
  }

  async function accountOf({ session }: Visit): Promise<Account> {
    const account = session?.accountId ? await accounts.find(session.accountId) : undefined
    if (account === undefined) throw new Problem('Your sign-in has expired')
    return account
  }

  async function clientOf({ params }: Visit): Promise<ClientView> {
    const client = await oidc.Client.find(String(params['client_id']))
    if (client === undefined) throw new Problem('The client is no longer known')
    const target = new URL(String(params['redirect_uri']))
    const host = target.protocol === 'https:' ? target.host : undefined
    const documented = client.clientId.startsWith('https://')
      ? new URL(client.clientId).host
      : undefined
    return {
      name: (client.clientName ?? client.clientId).slice(0, 80),
      host: documented,
      leadsTo: host ?? (target.host === '' ? target.protocol : target.host),
      isLocal: host === undefined,
    }
  }

  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const visit = await visitOf(request, response)
    const form = await readForm(request)
    if (!isOwnForm(request, form, { origin, visit: visit.uid, key: secrets.formKey }))
      throw new Problem('The form did not come from this page')
    const action = form.get('action')
    if (action === 'cancel')
      return finish(request, response, {
        error: 'access_denied',
        error_description: 'The person did not agree',
      })
    if (action === 'allow' && visit.prompt.name === 'consent')
      return finish(request, response, {
        consent: {
          grantId: await grant(
            visit,
            EFFECTS.filter((one) => form.getAll('effect').includes(one)),
          ),
        },
      })
    const account = await proofs.prove(form)
    if ('problem' in account) {
      onAttempt({ to: (await clientOf(visit)).name, problem: account.problem })
      return show(response, visit, account)
    }
    return enter(request, response, { visit, accountId: await accounts.save(account) })
  }

  async function enter(
    request: IncomingMessage,
    response: ServerResponse,
    { visit, accountId }: { readonly visit: Visit; readonly accountId: string },
  ): Promise<void> {
    const account = await accounts.find(accountId)
    onAttempt({ to: (await clientOf(visit)).name, ...(account ? { account } : { problem: GONE }) })
    await finish(request, response, { login: { accountId, remember: true } })
  }

  /** Creates a new grant each time, so that scopes a person has withdrawn stay withdrawn. */
  async function grant({ params, session }: Visit, effects: readonly Effect[]): Promise<string> {
    const made = new oidc.Grant({
      accountId: session?.accountId ?? '',
      clientId: String(params['client_id']),
    })
    const resource = String(params['resource'])
    const granted = effects.map(toScope)
    const refused = SCOPES.filter((scope) => !granted.includes(scope))
    made.addOIDCScope(['openid', 'offline_access', 'profile', 'email', ...SCOPES].join(' '))
    if (granted.length > 0) made.addResourceScope(resource, granted.join(' '))
    if (refused.length > 0) made.rejectResourceScope(resource, refused.join(' '))
    return made.save()
  }

  async function finish(
    request: IncomingMessage,
    response: ServerResponse,
    result: Parameters<typeof oidc.interactionResult>[2],
  ): Promise<void> {
    const location = await oidc.interactionResult(request, response, result, {
      mergeWithLastSubmission: 'consent' in result,
    })
    response.writeHead(303, { location, 'cache-control': 'no-store' }).end()
  }

  return {
    async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
      try {
        const step = stepIn(request)
        if (request.method === 'POST' && step === '') return await accept(request, response)
        const visit = await visitOf(request, response)
        if (step === 'provider' && provider) return await provider.begin(response, visit.uid)
        if (step === 'finish' && provider)
          return await enter(request, response, {
            visit,
            accountId: provider.redeem(request, visit.uid),
          })
        await show(response, visit)
      } catch (error) {
        send(response, 400, problemPage(titleOf(error), WHY), [])
      }
    },
  }
}

const WHY =
  'A sign-in must be finished within fifteen minutes, in the browser that started it, and works only once; cookies must be allowed.'

const VIA: Readonly<Record<Account['source'], string>> = {
  key: 'with a key',
  user: 'with your password',
  provider: 'through your identity provider',
}

/** An error whose message the person sees; other errors are not shown to them. */
class Problem extends Error {}

function titleOf(error: unknown): string {
  if (error instanceof Problem) return error.message
  return 'This sign-in is unknown or has ended'
}

function send(
  response: ServerResponse,
  status: number,
  content: string,
  targets: readonly string[],
): void {
  if (response.headersSent) return
  response.writeHead(status, pageHeaders(targets)).end(content)
}

/** Returns the client's target, as browsers apply `form-action` to redirects after a form too. */
function targetsOf({ params }: Visit): string[] {
  const target = String(params['redirect_uri'])
  if (!URL.canParse(target)) return []
  const { origin, protocol } = new URL(target)
  return [origin === 'null' ? protocol : origin]
}

/** Returns the effects that the client asks for. */
function asked({ params }: Visit): readonly Effect[] {
  const { scope } = params
  return toEffects(typeof scope === 'string' ? scope : undefined)
}

function uidIn({ url = '' }: IncomingMessage): string {
  return pathIn(url)[0] ?? ''
}

function stepIn({ url = '' }: IncomingMessage): string {
  return pathIn(url)[1] ?? ''
}

function pathIn(url: string): string[] {
  const [path = ''] = url.split('?')
  return path.slice(SIGN_IN_PATHS.pages.length + 1).split('/')
}
