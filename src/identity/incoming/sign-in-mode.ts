/** The settings that sign-in uses. */
export interface SignInSettings {
  readonly listen: { readonly publicUrl?: string | undefined; readonly path: string }
  readonly auth: {
    readonly server: {
      readonly enabled: boolean | 'auto'
      readonly registration: boolean
      readonly privateHosts: readonly string[]
      readonly accessTokenMs: number
      readonly refreshTokenMs: number
    }
    readonly provider?: ProviderSettings | undefined
  }
}

export interface ProviderSettings {
  readonly issuer: string
  readonly audience?: string | readonly string[] | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly scopes: readonly string[]
  readonly userClaim?: string | undefined
  readonly groupsClaim: string
}

/**
 * Returns who issues the tokens of people: we do, the team's provider does, or nobody. If we are a
 * client of the provider, it only authenticates people, and we issue the tokens.
 */
export function signInMode({ listen, auth }: SignInSettings): 'embedded' | 'provider' | undefined {
  const { server, provider } = auth
  if (server.enabled === true) return 'embedded'
  if (provider && provider.clientId === undefined) return 'provider'
  if (server.enabled === false) return undefined
  return listen.publicUrl !== undefined ? 'embedded' : undefined
}
