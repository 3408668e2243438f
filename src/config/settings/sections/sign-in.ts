import { z } from 'zod'
import { lifetime, section } from '../section.ts'

export const signInServer = section(
  'Sign-in at the gateway itself, which is then the authorization server of its own endpoint: people paste its address into a client and sign in.',
  {
    enabled: z
      .union([z.boolean(), z.literal('auto')])
      .default('auto')
      .describe(
        '"auto" is on where `listen.publicUrl` is set, unless `auth.provider` issues the tokens. Set false if a proxy before the gateway signs people in.',
      ),
    registration: z
      .boolean()
      .default(true)
      .describe(
        'Whether clients may register themselves; those with a metadata document need not. Turn it off to decide yourself which clients people can use.',
      ),
    privateHosts: z
      .array(z.string())
      .default([])
      .describe(
        'Private hosts whose client metadata documents may be fetched, as "host" or "host:port".',
      ),
    accessTokenMs: lifetime
      .default(3_600_000)
      .describe(
        'How long an access token is valid. Lower it if your policy asks for that; clients renew it by themselves.',
      ),
    refreshTokenMs: lifetime
      .default(30 * 86_400_000)
      .describe(
        'How long a client may be inactive before the person has to sign in again. Lower it if your policy asks for that.',
      ),
  },
)

export const signInProvider = section(
  'The OpenID provider of your team (Keycloak, Entra, Okta, Google, Auth0 …).',
  {
    issuer: z
      .url()
      .describe(
        'Its issuer address, by which people sign in with the accounts they have; `/.well-known/openid-configuration` is below it.',
      ),
    audience: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe(
        'Required `aud` claim of its tokens, if your provider puts another name there; by default the address of the MCP endpoint.',
      ),
    clientId: z
      .string()
      .optional()
      .describe(
        'The client id of Portolan at the provider. With it, people sign in there and Portolan issues the tokens, so that clients need no registration at the provider; without it, the provider issues them.',
      ),
    clientSecret: z
      .string()
      .optional()
      .describe(
        'The secret of that client, if the provider gave it one; better set as the variable.',
      ),
    scopes: z
      .array(z.string())
      .default(['openid', 'profile', 'email'])
      .describe(
        'Scopes requested from the provider when a person signs in; some providers need another one to name groups.',
      ),
    userClaim: z
      .string()
      .optional()
      .describe(
        'Claim that names the person in rules and audit; by default a verified `email`, else `sub`.',
      ),
    groupsClaim: z
      .string()
      .default('groups')
      .describe(
        'Claim that holds their groups, where your provider has another name for it; also a path such as `realm_access.roles`.',
      ),
  },
)
