import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'oidc-provider'
import { ensureSecret, writeSecret } from '../../../storage/shared/secrets.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { Seal } from '../../vault/seal.ts'

export interface ServerSecrets {
  /** Signs identity tokens, for clients that ask for one. */
  readonly signingKey: JWK
  /** Signs cookies. */
  readonly cookieKey: string
  /** Marks the forms of our own pages. */
  readonly formKey: string
}

const NAME = 'sign-in'

/** Created once per installation; replicas that start together all get the first one's. */
export async function loadServerSecrets(
  { db }: Pick<Storage, 'db'>,
  seal: Seal,
): Promise<ServerSecrets> {
  const fresh = await makeSecrets()
  const sealed = await ensureSecret(db, NAME, () => seal.close(JSON.stringify(fresh), NAME))
  const text = seal.open(sealed, NAME)
  // Seal again after a change of the key, so that the old one is no longer needed.
  if (seal.isStale(sealed, NAME)) await writeSecret(db, NAME, seal.close(text, NAME))
  const kept: ServerSecrets = JSON.parse(text)
  return kept
}

async function makeSecrets(): Promise<ServerSecrets> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await exportJWK(privateKey)
  return {
    signingKey: {
      ...key,
      kty: 'EC',
      alg: 'ES256',
      use: 'sig',
      kid: randomBytes(8).toString('hex'),
    },
    cookieKey: randomBytes(32).toString('base64url'),
    formKey: randomBytes(32).toString('base64url'),
  }
}
