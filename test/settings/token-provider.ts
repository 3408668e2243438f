import { createServer } from 'node:http'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'

export interface TokenProvider {
  readonly issuer: string
  readonly jwksUrl: string
  /** A token for the audience `portolan`. */
  sign(subject: string, claims: Record<string, unknown>): Promise<string>
}

let opened: Promise<TokenProvider> | undefined

/** An identity provider that issues tokens, the same for every row. */
export async function tokenProvider(): Promise<TokenProvider> {
  opened ??= openProvider()
  return opened
}

async function openProvider(): Promise<TokenProvider> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const server = createServer((request, response) => {
    const isKeys = request.url === '/keys'
    const body = isKeys ? { keys: [jwk] } : { issuer, jwks_uri: jwksUrl }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const jwksUrl = `${issuer}/keys`
  return {
    issuer,
    jwksUrl,
    sign: async (subject, claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .setSubject(subject)
        .setIssuer(issuer)
        .setAudience('portolan')
        .setExpirationTime('1h')
        .sign(privateKey),
  }
}
