import { join } from 'node:path'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
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
  const scripts = (state: string) => {
    const all: unknown = JSON.parse(folder.run('scripts', 'list', '--json').stdout)
    return (Array.isArray(all) ? all : []).filter(isObject).filter((one) => one['state'] === state)
  }
  const digestOf = (source: string) =>
    String(scripts('proposed').find((one) => String(one['source']).includes(source))?.['digest'])
  const active = () => {
    const source = scripts('approved')[0]?.['source']
    return typeof source === 'string' ? source : ''
  }
  propose('return 1 // read by a person')
  const read = digestOf('read by a person')
  propose('return 2 // evil')
  await field.try('a proposal that comes while another is read', () => {
    folder.run('scripts', 'approve', read)
    return active().includes('read by a person')
  })
  await field.try('an approval of the name', () => {
    folder.run('scripts', 'approve', 'greet')
    return !active().includes('evil')
  })
  folder.run('scripts', 'remove', 'greet')
  await field.try('the digest of a script that was approved once', () => {
    folder.run('scripts', 'approve', read)
    return active() === ''
  })
  const evil = digestOf('evil')
  // Whoever writes both scripts finds two with one digest of 64 bits in minutes.
  await field.try('two scripts with one digest', () => evil.length >= 40 && read.length >= 40)
  const rig = await folder.start()
  const decide = async (body: JsonObject) =>
    fetch(`${rig.url}/api/dashboard/scripts/decide`, {
      method: 'POST',
      headers: {
        'x-portolan-dashboard': '1',
        authorization: `Bearer ${localPass(join(folder.path, 'home'), rig.url)}`,
      },
      body: JSON.stringify(body),
    })
  for (const [name, script] of [
    ['the digest of another', read],
    ['a name', 'greet'],
    ['the start of a digest', evil.slice(0, 16)],
    ['no digest', ''],
  ] as const)
    await field.try(`an approval on the dashboard with ${name}`, async () => {
      const { status } = await decide({ action: 'approve', script })
      return status === 400 && active() === ''
    })
  await field.try('control: an approval on the dashboard with its digest', async () => {
    const { status } = await decide({ action: 'approve', script: evil })
    return status === 200 && active().includes('evil')
  })
  await folder.discard()
}
