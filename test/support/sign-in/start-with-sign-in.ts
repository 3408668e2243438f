import { onTestFinished } from 'vitest'
import { createFileKeyStore } from '../../../src/identity/file-key-store.ts'
import { identityFiles } from '../../../src/identity/identity-files.ts'
import { type RunningGateway, startGateway } from '../gateway.ts'
import { stdioUpstream } from '../start.ts'
import { type Later, type TempFolder, tempFolder } from '../temp-folder.ts'

export interface SignInGateway extends RunningGateway {
  readonly folder: TempFolder
  /** The key of agent `ada`. */
  readonly key: string
  readonly keyId: string
  readonly keys: ReturnType<typeof createFileKeyStore>
}

interface SignInGatewayOptions {
  readonly servers?: object
  readonly rules?: object
  readonly args?: string[]
  readonly env?: Record<string, string>
  readonly later?: Later
}

/** Starts a gateway that requires a sign-in, with one server and a key for `ada`. */
export async function startWithSignIn(
  settings: { auth?: object; listen?: object } = {},
  { servers, rules, args = [], env = {}, later = onTestFinished }: SignInGatewayOptions = {},
): Promise<SignInGateway> {
  const folder = tempFolder(later)
  folder.write('.mcp.json', { mcpServers: servers ?? { files: stdioUpstream('--name', 'files') } })
  if (rules) folder.write('.mcp-gateway-rules.json', rules)
  folder.write('portolan.yaml', {
    ...settings,
    auth: { required: true, server: { enabled: true }, ...settings.auth },
  })
  const keys = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const { secret, key } = await keys.create('ada')
  const gateway = await startGateway(folder, args, env, later)
  return { ...gateway, folder, key: secret, keyId: key.id, keys }
}
