import { expect, onTestFinished } from 'vitest'
import type { OAuthSettings } from '../../../src/identity/sign-ins/server.ts'
import { SignIns } from '../../../src/identity/sign-ins/sign-ins.ts'
import { openVault } from '../../../src/identity/vault/open-vault.ts'
import { tempFolder } from '../temp-folder.ts'
import { startAuthorizationServer } from './authorization-server.ts'

export const CALLBACK = 'http://127.0.0.1:9/callback'

/** The sign-ins of people to one server, and the server with its authorization server. */
export async function signInsTo(oauth: Partial<OAuthSettings> = {}) {
  const idp = await startAuthorizationServer()
  const folder = tempFolder()
  const learnt: string[] = []
  const signedIn: string[] = []
  const server = {
    name: 'mail',
    url: idp.url,
    oauth: { tokens: 'per-person', grant: 'authorization_code', ...oauth },
  } as const
  const aVault = () => openVault(folder.path, { PORTOLAN_KEYRING: 'off' })
  /** All people of one process. */
  const aProcess = (vault = aVault()) => {
    const signIns = new SignIns({
      vault,
      learn: (secrets) => void learnt.push(...secrets),
      hide: (text) => text.replaceAll('hush', '[hidden]'),
      onSignedIn: (name, person) => void signedIn.push(`${name} ${person}`),
    })
    signIns.adopt(new Map([[server.name, server]]))
    onTestFinished(async () => signIns.close())
    return signIns
  }
  const signIns = aProcess()
  const of = (person: string, by = signIns) => by.of(server, person)
  /** Signs a person in, from the address to the token. */
  async function arrive(person: string) {
    const address = await signIns.begin(of(person), { callbackUrl: CALLBACK })
    expect(await signIns.finish(idp.approve(address), undefined)).toMatchObject({ ok: true })
    return of(person)
  }
  const forms = (grant: string) =>
    idp.posted.filter(({ form }) => form.get('grant_type') === grant).map(({ form }) => form)
  return { idp, server, signIns, aProcess, aVault, of, arrive, learnt, signedIn, forms }
}
