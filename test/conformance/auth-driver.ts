/**
 * The client that the official suite tests: Portolan in front of the suite's server, a person with a
 * browser who signs in wherever an error asks for it, and one call. The suite starts it with the
 * address of its server: `node --import tsx test/conformance/auth-driver.ts http://127.0.0.1:1/mcp`
 */
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { execute, textOf, valueOf, call } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { LittleBrowser } from '../support/little-browser.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MAX_SIGN_INS = 5
const CIMD = 'https://conformance-test.local/client-metadata.json'

/** What a person would have been given by hand: the credentials of a registered client. */
function oauthOf(scenario: string, context: JsonObject): JsonObject {
  const { client_id, client_secret, private_key_pem, signing_algorithm } = context
  return {
    ...(scenario === 'auth/basic-cimd' && { clientMetadataUrl: CIMD }),
    ...(scenario.startsWith('auth/client-credentials') && { grant: 'client_credentials' }),
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
    ...(private_key_pem !== undefined && { privateKey: private_key_pem }),
    ...(signing_algorithm !== undefined && { algorithm: signing_algorithm }),
  }
}

const [, , url = ''] = process.argv
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const given: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}')
const oauth = oauthOf(scenario, isObject(given) ? given : {})
const ends: (() => unknown)[] = []
const later = (end: () => unknown) => void ends.unshift(end)
const folder = tempFolder(later)
folder.write('.mcp.json', { mcpServers: { test: { url, oauth } } })
const gateway = await startGateway(folder, [], { PORTOLAN_KEYRING: 'off' }, later)
try {
  const client = await openHttp('modern', `${gateway.url}/mcp`, {}, { mute: true })
  const browser = new LittleBrowser()
  let said = ''
  for (let round = 0; round <= MAX_SIGN_INS; round += 1) {
    const listed = valueOf(await call(client, 'get_server_tools', { server: 'test' }))
    const [tool] = Array.isArray(listed['tools']) ? listed['tools'] : []
    const name = isObject(tool) ? String(tool['name']) : 'test-tool'
    const result = await execute(client, 'test', name)
    said = textOf(result)
    const address = /open (http\S+) and/.exec(said)?.[1]
    if (address === undefined) break
    await browser.open(address)
  }
  process.stdout.write(`${said}\n`)
} finally {
  for (const end of ends) await end()
}
process.exit(0)
