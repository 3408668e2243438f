import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PLANTED_REPOSITORIES } from '../../test/support/planted-repositories.ts'
import type { Attack } from './report.ts'
import { MAIN, Rig } from './rig.ts'

/** Hands over folders whose repositories name commands, which nothing of ours may run. */
export const gitCommands: Attack = {
  name: 'commands in the repository of a folder',
  async run(field) {
    const rig = await Rig.open({ settings: { builtins: { knowledge: true, code: true } } })
    const marks = () => readdirSync(rig.folder).filter((name) => name.startsWith('mark'))
    const command = (...args: string[]) =>
      execFileSync(process.execPath, [MAIN, ...args], {
        cwd: rig.folder,
        env: {
          PATH: process.env['PATH'],
          HOME: rig.folder,
          PORTOLAN_HOME: join(rig.folder, 'own'),
        },
        stdio: 'ignore',
      })
    for (const [at, [name, plant]] of Object.entries(PLANTED_REPOSITORIES).entries()) {
      const folder = join(rig.folder, `planted${at}`)
      mkdirSync(folder)
      plant(folder, join(rig.folder, `mark${at}-`))
      const inner = join(folder, 'docs')
      const path = existsSync(inner) ? inner : folder
      const calls: Readonly<Record<string, () => unknown>> = {
        knowledge_ingest: async () => rig.call('knowledge__knowledge_ingest', { url: path }),
        index_codebase: async () =>
          rig.call('code__index_codebase', { path, index_name: `i${at}` }),
        index_stats: async () => rig.call('code__index_stats', { index_name: `i${at}` }),
        ingest: () => command('ingest', path),
        'code index': () => command('code', 'index', path),
        'code stats': () => command('code', 'stats'),
      }
      for (const [call, run] of Object.entries(calls))
        await field.try(`${call}: ${name}`, async () => {
          const before = marks().length
          await run()
          return marks().length === before
        })
    }
    await rig.discard()
  },
}
