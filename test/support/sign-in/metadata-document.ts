import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { onTestFinished } from 'vitest'
import type { TempFolder } from '../temp-folder.ts'
import { CALLBACK } from './signing-client.ts'

export interface DocumentServer {
  readonly host: string
  /** The certificate that its clients must trust. */
  readonly certificate: string
  /** The number of requests. */
  asked: number
  /** The documents it serves, by path. */
  readonly documents: Map<string, unknown>
  address(path: string): string
}

/** A web site that serves client metadata documents over https, as CIMD requires. */
export async function startDocumentServer(folder: TempFolder): Promise<DocumentServer> {
  const [key, certificate] = [folder.file('key.pem'), folder.file('certificate.pem')]
  const subject = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' ')
  const files = ['-keyout', key, '-out', certificate]
  const options = { stdio: 'ignore' } as const
  execFileSync(
    'openssl',
    [...subject, '-addext', 'subjectAltName=DNS:localhost', ...files],
    options,
  )
  const documents = new Map<string, unknown>()
  const http = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (request, response) => {
      site.asked += 1
      const found = documents.get(request.url ?? '')
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(found ?? {}))
    },
  )
  await new Promise<void>((resolve) => http.listen(0, 'localhost', resolve))
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const host = `localhost:${typeof address === 'object' ? address?.port : 0}`
  const site: DocumentServer = {
    host,
    certificate,
    asked: 0,
    documents,
    address: (path) => `https://${host}${path}`,
  }
  return site
}

export function aDocument(clientId: string): object {
  return {
    client_id: clientId,
    client_name: 'Documented Editor',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}
