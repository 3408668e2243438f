import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { OAuthClient, type Tokens } from '../../test/support/sign-in/oauth-client.ts'
import type { Person } from '../../test/support/sign-in/signing-client.ts'
import { MAIN, type Rig } from './rig.ts'

export const PASSWORD = 'correct horse battery staple'

/** Runs `portolan users …` beside a gateway, as its administrator does. */
export function users(rig: Rig, words: readonly string[], password?: string): void {
  const { folder } = rig
  execFileSync(process.execPath, [MAIN, 'users', ...words], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      PORTOLAN_HOME: join(folder, 'home'),
      PORTOLAN_KEYRING: 'off',
    },
    input: password ?? '',
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}

export function createUser(rig: Rig, name: string, ...more: readonly string[]): void {
  users(rig, ['create', name, '--password-stdin', ...more], PASSWORD)
}

/** Signs in with a name and a password, and agrees to everything. */
export function withPassword(user: string, password = PASSWORD): Person {
  return async (browser, first) => {
    const form = { action: 'password', user, password }
    const consent = first.text.includes('name="password"')
      ? await browser.submit(first, form)
      : first
    return browser.submit(consent, { action: 'allow', effect: ['read', 'write', 'delete'] })
  }
}

export interface SignedInClient {
  readonly client: OAuthClient
  readonly tokens: Tokens
}

/** A new client of a user. */
export async function clientOf(rig: Rig, user: string): Promise<SignedInClient> {
  const client = await new OAuthClient(rig.url).register()
  const { body } = await client.redeem(await client.code(withPassword(user)))
  return { client, tokens: body }
}

export function bearing(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}
