import type { Effect } from '../../../gateway/tools/effect.ts'
import { type Html, html, page } from './html.ts'

export interface ClientView {
  readonly name: string
  /** The host that vouches for the name; absent for a client that registered itself. */
  readonly host?: string | undefined
  /** Where the person is redirected afterwards: a host, or the scheme of an application. */
  readonly leadsTo: string
  readonly isLocal: boolean
}

export interface SignInView {
  /** The client that wants to connect; absent for a sign-in to the dashboard. */
  readonly client?: ClientView
  readonly token: string
  readonly problem?: string | undefined
  readonly hasUsers: boolean
  /** The team's provider, and the address that leads there. */
  readonly provider?: { readonly name: string; readonly address: string } | undefined
}

export function signInPage({ client, token, problem, hasUsers, provider }: SignInView): string {
  return page(
    'Sign in',
    html`<h1>Sign in to Portolan</h1>
      ${client && html`<p>${describeClient(client)} wants to connect.</p>`}
      ${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
      ${
        provider &&
        html`<p class="row">
          <a class="button" href="${provider.address}">Continue with ${provider.name}</a>
        </p>`
      }
      ${
        hasUsers &&
        form(
          token,
          html`<h2>With your name and password</h2>
            <label for="user">Name</label>
            <input type="text" id="user" name="user" autocomplete="username" required />
            <label for="password">Password</label>
            <input
              type="password"
              id="password"
              name="password"
              autocomplete="current-password"
              required
            />
            <div class="row"><button name="action" value="password">Sign in</button></div>`,
        )
      }
      ${form(
        token,
        html`<h2>With a key</h2>
          <label for="key">Portolan key</label>
          <input type="password" id="key" name="key" autocomplete="off" required />
          <p class="soft"><code>portolan keys create</code> makes one; it begins with ptk_.</p>
          <div class="row"><button name="action" value="key">Sign in with the key</button></div>`,
      )}
      ${
        client &&
        form(
          token,
          html`<div class="row">
            <button class="second" name="action" value="cancel">Cancel</button>
          </div>`,
        )
      }`,
  )
}

export interface ConsentView {
  readonly client: ClientView
  readonly token: string
  readonly agent: string
  readonly via: string
  readonly groups: readonly string[]
  /** The servers that the rules allow, with how many of their tools are known. */
  readonly servers: readonly { readonly name: string; readonly tools: number }[]
  /** What the client asks for and the rules allow for some tool. */
  readonly effects: readonly Effect[]
  /** What it asks for too, and the rules allow for no tool. */
  readonly denied: readonly Effect[]
}

const EFFECT_TEXTS: Readonly<Record<Effect, string>> = {
  read: 'use tools that read',
  write: 'use tools that change things',
  delete: 'use tools that delete',
}

export function consentPage(view: ConsentView): string {
  const { client, token, agent, via, groups, servers, effects, denied } = view
  return page(
    'Connect a client',
    html`<h1>Connect ${client.name}?</h1>
      <p>${describeClient(client)} asks to use Portolan as <strong>${agent}</strong>.</p>
      <p class="soft">
        You are signed in ${via}${groups.length > 0 && html`, groups: ${groups.join(', ')}`}.
        Afterwards you are sent to <code>${client.leadsTo}</code>.
      </p>
      <h2>Servers it may use</h2>
      ${
        servers.length === 0
          ? html`<p>
              None yet: the rules allow nothing to ${agent}. Whoever runs this gateway can change
              that.
            </p>`
          : html`<ul>
              ${servers.map(({ name, tools }) => html`<li>${name}${tools > 0 && html` (${tools} tools)`}</li>`)}
            </ul>`
      }
      ${form(
        token,
        html`<fieldset>
            <legend>It may</legend>
            ${effects.map(
              (effect) =>
                html`<label class="choice"
                  ><input type="checkbox" name="effect" value="${effect}" checked />
                  ${EFFECT_TEXTS[effect]}</label
                >`,
            )}
          </fieldset>
          ${
            denied.length > 0 &&
            html`<p class="soft">
              It also asks to ${denied.map((effect) => EFFECT_TEXTS[effect]).join(', and to ')}. The
              rules allow you none of these, so it cannot get that.
            </p>`
          }
          ${
            client.host === undefined &&
            html`<p class="soft">
              The name of this client is not verified. Continue only if you have just started it
              yourself.
            </p>`
          }
          <div class="row">
            <button name="action" value="allow">Allow</button>
            <button class="second" name="action" value="cancel">Cancel</button>
          </div>`,
      )}`,
  )
}

export interface InvitationView {
  readonly token: string
  readonly name: string
  readonly minLength: number
  readonly problem?: string | undefined
}

export function invitationPage({ token, name, minLength, problem }: InvitationView): string {
  return page(
    'Choose a password',
    html`<h1>Welcome to Portolan</h1>
      <p>
        You are invited as <strong>${name}</strong>. Choose the password with which you sign in.
      </p>
      ${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
      ${form(
        token,
        html`<input type="hidden" name="user" autocomplete="username" value="${name}" />
          <label for="password">Password, at least ${minLength} characters</label>
          <input
            type="password"
            id="password"
            name="password"
            autocomplete="new-password"
            minlength="${minLength}"
            required
          />
          <label for="again">The password again</label>
          <input type="password" id="again" name="again" autocomplete="new-password" required />
          <div class="row"><button>Set the password and sign in</button></div>`,
      )}`,
  )
}

const BACK_TO_CLIENT = 'Go back to your client and connect again.'

export function problemPage(title: string, detail: string, next = BACK_TO_CLIENT): string {
  return page(
    'Sign-in failed',
    html`<h1>Sign-in did not work</h1>
      <p class="bad">${title}</p>
      <p>${detail}</p>
      <p>${next}</p>`,
  )
}

function describeClient({ name, host, isLocal }: ClientView): Html {
  if (host !== undefined) return html`<strong>${name}</strong> of <strong>${host}</strong>`
  return html`<strong>${name}</strong>
    (${isLocal ? 'an application on your computer' : 'a client that registered itself'})`
}

function form(token: string, content: Html): Html {
  return html`<form method="post">
    <input type="hidden" name="token" value="${token}" />${content}
  </form>`
}
