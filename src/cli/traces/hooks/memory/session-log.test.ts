import { readdir, symlink, utimes } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'
import { SessionLog } from './session-log.ts'

it('forgets old sessions although another session has just deleted one of them', async () => {
  const folder = tempFolder()
  const log = new SessionLog(folder.path, 'this')
  await log.add({ kind: 'contributed', at: 1 })
  const sessions = folder.file('hooks/sessions')
  // It is listed, but no longer there when it is looked at.
  await symlink(folder.file('gone'), folder.file('hooks/sessions/0.jsonl'))
  const old = new Date(1_000)
  await utimes(folder.write('hooks/sessions/1.jsonl', ''), old, old)
  await log.forgetBefore(2_000)
  expect(await readdir(sessions)).not.toContain('1.jsonl')
  expect(await log.events()).toHaveLength(1)
})
