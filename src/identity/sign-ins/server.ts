/** How to sign in to a server: `oauth` of its entry. All of it may be left out. */
export interface OAuthSettings {
  /** Whose sign-in a call uses: that of its person, or one for everybody. */
  readonly tokens: 'per-person' | 'shared'
  /** `client_credentials` signs in the gateway itself, without a person. */
  readonly grant: 'authorization_code' | 'client_credentials'
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** In PEM (PKCS #8), for a client that authenticates with a signed JWT. */
  readonly privateKey?: string | undefined
  readonly algorithm?: string | undefined
  readonly scope?: string | undefined
  /** The only authorization server that the client's credentials are sent to. */
  readonly issuer?: string | undefined
  /** The URL of our client metadata document, if it is not at the public URL of the gateway. */
  readonly clientMetadataUrl?: string | undefined
}

/** A server that may require a sign-in. */
export interface SignInServer {
  readonly name: string
  readonly url: string
  readonly oauth: OAuthSettings
}

/** The person in whose name everybody calls a server with a shared sign-in. */
export const EVERYBODY = 'everybody'
