import { join } from 'node:path'
import type { JsonObject } from '../../src/base/json/json.ts'
import { localPass } from '../../test/support/dashboard/local-pass.ts'
import type { Field } from './report.ts'
import { MCP, TrustedFolder } from './trusted-folder.ts'

/** Another agent proposes while a person reads. */
export async function anotherScript(field: Field): Promise<void> {
  const folder = new TrustedFolder({ [MCP]: { mcpServers: {} } })
  const propose = (source: string) => {
    folder.write('script.js', source)
    const words = ['scripts', 'save', 'greet', 'script.js', '--description', 'Greets', '--propose']
    return folder.run(...words)
  }
  const digest = () =>
    String(JSON.parse(folder.run('scripts', 'show', 'greet', '--json').stdout).digest)
  const active = () => {
    const versions: { isActive: boolean; source: string }[] = JSON.parse(
      folder.run('scripts', 'history', 'greet', '--json').stdout || '[]',
    )
    return versions.find(({ isActive }) => isActive)?.source
  }
  propose('return 1 // read by a person')
  const read = digest()
  propose('return 2 // evil')
  await field.try('a proposal that comes while another is read', () => {
    folder.run('scripts', 'approve', 'greet', read)
    return active()?.includes('evil') !== true
  })
  folder.run('scripts', 'remove', 'greet')
  propose('return 2 // evil')
  await field.try('a script of the same name and number', () => {
    folder.run('scripts', 'approve', 'greet', read)
    return active() === undefined
  })
  await field.try('an approval of whatever is the newest', () => {
    folder.run('scripts', 'approve', 'greet')
    return active() === undefined
  })
  const rig = await folder.start()
  const decide = async (body: JsonObject) =>
    fetch(`${rig.url}/api/dashboard/scripts/greet/decide`, {
      method: 'POST',
      headers: {
        'x-portolan-dashboard': '1',
        authorization: `Bearer ${localPass(join(folder.path, 'home'), rig.url)}`,
      },
      body: JSON.stringify(body),
    })
  for (const [name, body] of [
    ['the digest of another', { action: 'approve', digest: read }],
    ['no digest', { action: 'approve' }],
    ['a number', { action: 'approve', version: 1 }],
  ] as const)
    await field.try(`an approval on the dashboard with ${name}`, async () => {
      const { status } = await decide(body)
      return status === 400 && active() === undefined
    })
  await folder.discard()
}
