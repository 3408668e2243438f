import { z } from 'zod'
import { type JwtVerifier, createJwtVerifier } from '../../jwt.ts'
import type { SignInSettings } from '../sign-in-mode.ts'
import { toAccount } from '../accounts/to-account.ts'

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() })

/** Accepts the tokens that the team's provider issues for us. */
export function createProviderTokens({ listen, auth }: SignInSettings): JwtVerifier | undefined {
  const { provider } = auth
  if (provider === undefined) return undefined
  const ours = listen.publicUrl && [listen.publicUrl, `${listen.publicUrl}${listen.path}`]
  const audience = provider.audience ?? ours
  if (audience === undefined || audience === '') return undefined
  return createJwtVerifier({
    issuer: provider.issuer,
    audience,
    jwksUrl: async (fetchInTime) => discoverKeys(provider.issuer, fetchInTime),
    toAccount: (claims) => toAccount(claims, provider),
  })
}

/** Finds the JWKS URL in the metadata of OpenID or, failing that, of OAuth. */
async function discoverKeys(issuer: string, fetchInTime: typeof fetch): Promise<string> {
  const base = issuer.replace(/\/$/, '')
  const { origin, pathname } = new URL(base)
  const path = pathname === '/' ? '' : pathname
  const places = [
    `${base}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  for (const place of places) {
    const response = await fetchInTime(place)
    if (!response.ok) continue
    const found = metadataSchema.parse(await response.json())
    if (found.issuer !== issuer)
      throw new Error(`${place} is about the issuer ${found.issuer}, and not about ${issuer}`)
    return found.jwks_uri
  }
  throw new Error(`${issuer} has no metadata of an OpenID provider`)
}
