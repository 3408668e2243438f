import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startAuthorizationServer } from '../../../test/support/sign-in/authorization-server.ts'
import { CALLBACK, signInsTo } from '../../../test/support/sign-in/sign-ins-to.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'

const UNSIGNED = { status: 401, challenge: undefined, sent: undefined, again: false }

/** A document that stands where nobody would look for it. */
async function serveDocument(document: object): Promise<string> {
  const http = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document)),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const address = http.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/about`
}

it('people are sent to the authorization server in the metadata that a refusal names', async () => {
  const { idp: server, signIns, of } = await signInsTo()
  const issuer = await startAuthorizationServer()
  server.manners.isNamed = false
  const about = await serveDocument({
    resource: server.url,
    authorization_servers: [issuer.origin],
  })
  const refusal = { ...UNSIGNED, challenge: `Bearer resource_metadata="${about}"` }
  const ada = of('ada')
  await expect(ada.refused(refusal)).rejects.toBeInstanceOf(SignInNeeded)
  const address = await signIns.begin(ada, { callbackUrl: CALLBACK })
  expect([address.origin, address.searchParams.get('resource')]).toEqual([
    issuer.origin,
    server.url,
  ])
  expect((await signIns.finish(issuer.approve(address), undefined)).ok).toBe(true)
  await ada.refused({ ...refusal, sent: 'Bearer access-1' })
  expect(await ada.header()).toBe('Bearer access-2')
  expect(issuer.posted.map(({ form }) => form.get('grant_type'))).toEqual([
    'authorization_code',
    'refresh_token',
  ])
  expect(server.posted, 'nothing went where the server itself is').toEqual([])
})

it('a server that has named its authorization server is not asked for it again', async () => {
  const { idp, of } = await signInsTo()
  const ada = of('ada')
  await expect(ada.refused(UNSIGNED)).rejects.toBeInstanceOf(SignInNeeded)
  idp.manners.isNamed = false
  await expect(ada.refused(UNSIGNED)).rejects.toBeInstanceOf(SignInNeeded)
  await expect(of('bob').refused(UNSIGNED)).rejects.toThrow('does not say where to sign in')
})

it('the document that describes us is the one of the server’s entry, or ours', async () => {
  const ofGateway = 'https://gateway.example/client.json'
  const configured = 'https://elsewhere.example/client.json'
  const clientIdAt = async (clientMetadataUrl: string | undefined) => {
    const { idp, signIns, of } = await signInsTo({ clientMetadataUrl })
    idp.manners.takesDocuments = true
    signIns.place = {
      callbackUrl: CALLBACK,
      clientMetadataUrl: ofGateway,
      startUrl: () => '',
      connectionsUrl: () => '',
    }
    const address = await signIns.begin(of('ada'), { callbackUrl: CALLBACK })
    return address.searchParams.get('client_id')
  }
  expect(await clientIdAt(undefined)).toBe(ofGateway)
  expect(await clientIdAt(configured)).toBe(configured)
})

it('a failure to begin hides the secrets in what the server says', async () => {
  const { idp, signIns, of } = await signInsTo()
  const about = await serveDocument({
    resource: 'https://hush.example/mcp',
    authorization_servers: [idp.origin],
  })
  const challenge = `Bearer resource_metadata="${about}"`
  await expect(of('ada').refused({ ...UNSIGNED, challenge })).rejects.toBeInstanceOf(SignInNeeded)
  await expect(signIns.begin(of('ada'), { callbackUrl: CALLBACK })).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: expect.stringContaining('https://[hidden].example/mcp'),
  })
})
