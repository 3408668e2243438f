import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'

const SECRET = 'ultra-secret-42 stays outside of the project'

/** Tries files outside the folders that a remote agent may read, by path, symbolic link and URL. */
export const confinement: Attack = {
  name: 'path confinement',
  async run(field) {
    const rig = await Rig.open({
      settings: { builtins: { knowledge: true, code: true } },
      files: { 'project/readme.md': '# A project\n\nNothing to see here, only a few words.' },
    })
    const outside = `${rig.folder}-outside`
    mkdirSync(outside)
    for (const name of ['a.md', 'a.ts', 'passwords.txt'])
      writeFileSync(join(outside, name), `# Secret\n\n${SECRET}. `.repeat(5))
    symlinkSync(outside, join(rig.folder, 'link'))
    symlinkSync(join(outside, 'a.md'), join(rig.folder, 'file-link.md'))
    const paths = [
      outside,
      join(outside, 'a.md'),
      `file://${outside}/a.md`,
      `${rig.folder}/../${outside.split('/').at(-1)}/a.md`,
      `../${outside.split('/').at(-1)}`,
      `./../${outside.split('/').at(-1)}/a.md`,
      join(rig.folder, 'link'),
      join(rig.folder, 'link', 'a.md'),
      join(rig.folder, 'file-link.md'),
      '/etc/passwd',
      '/etc',
      '/',
      '/proc/self/environ',
      `${rig.folder}/home/handle-secret`,
      '~/.ssh',
      `${outside}\u0000.md`,
    ]
    await field.try('control: the project itself is read', async () => {
      await rig.call('knowledge__knowledge_ingest', {
        url: 'project/readme.md',
        source_type: 'document',
      })
      const found = await rig.call('knowledge__knowledge_search', { query: 'project words' })
      const indexed = await rig.call('code__index_codebase', { path: join(rig.folder, 'project') })
      return found.includes('Nothing to see here') && /success\W+true/.test(indexed)
    })
    for (const path of paths) {
      await field.try(`knowledge_ingest ${path}`, async () => {
        await rig.call('knowledge__knowledge_ingest', { url: path, source_type: 'document' })
        const found = await rig.call('knowledge__knowledge_search', { query: 'ultra secret root' })
        return !found.includes('ultra-secret-42') && !found.includes('root:x:')
      })
      for (const headers of [{}, { 'set-cookie': 'a=b' }])
        await field.try(`index_codebase ${path} ${JSON.stringify(headers)}`, async () => {
          const answer = await rig.call('code__index_codebase', { path }, { headers })
          return !/success\W+true/.test(answer)
        })
    }
    for (const path of [
      '/../../etc/passwd',
      '/..%2f..%2f..%2fetc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/../../../package.json',
      '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
      '/..\\..\\etc\\passwd',
      '//etc/passwd',
      '/assets//etc/passwd',
      '/assets/%00',
      '/%',
      '/%c0%ae%c0%ae/etc/passwd',
    ])
      await field.try(`GET ${path}`, async () => {
        const answer = await raw(
          rig.url,
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
        )
        return (
          !answer.includes('root:') &&
          !answer.includes('"devDependencies"') &&
          (await rig.isAlive())
        )
      })
    await rig.discard()
  },
}

/** Sends bytes that no client library would send, and returns the answer. */
export async function raw(url: string, bytes: string, waitMs = 5_000): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let text = ''
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes))
    const end = () => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(waitMs, end)
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('close', end)
    socket.on('error', end)
  })
}
