/** How to sign in to a server: `oauth` of its entry. All of it may be left out. */
export interface OAuthSettings {
  /** Whose sign-in a call uses: that of the person behind it, or one for everybody. */
  readonly tokens: 'per-person' | 'shared'
  /** `client_credentials` signs in the gateway itself, without a person. */
  readonly grant: 'authorization_code' | 'client_credentials'
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** In PEM (PKCS #8), for a client that proves itself with a signed JWT. */
  readonly privateKey?: string | undefined
  readonly algorithm?: string | undefined
  readonly scope?: string | undefined
  /** The only authorization server that the client's credentials are sent to. */
  readonly issuer?: string | undefined
  /** Where a client metadata document of ours stands, if not at the public URL of the gateway. */
  readonly clientMetadataUrl?: string | undefined
}

/** A server that may want a sign-in. */
export interface SignInServer {
  readonly name: string
  readonly url: string
  readonly oauth: OAuthSettings
}

/** In whose name everybody calls a server whose sign-in is shared. */
export const EVERYBODY = 'everybody'
