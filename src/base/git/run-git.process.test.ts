import { existsSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { PLANTED_REPOSITORIES } from '../../../test/support/planted-repositories.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { runGit } from './run-git.ts'

it('passes on no variable of git but those it is given', async () => {
  const folder = tempFolder().path
  vi.stubEnv('GIT_DIR', '/nowhere')
  vi.stubEnv('GIT_SSH_COMMAND', 'false')
  vi.stubEnv('UNRELATED', 'kept')
  const env = { GIT_OPTIONAL_LOCKS: '0' }
  const args = ['-c', 'alias.environment=!env', 'environment']
  const printed = await runGit(args, { folder, timeoutMs: 30_000, env })
  vi.unstubAllEnvs()
  expect(printed).toContain('UNRELATED=kept')
  expect(printed).toContain('GIT_OPTIONAL_LOCKS=0')
  expect(printed).not.toMatch(/\/nowhere|GIT_SSH_COMMAND/)
})

it.each(Object.entries(PLANTED_REPOSITORIES))(
  'lists, counts and fetches without a program of the folder: %s',
  async (_, plant) => {
    const folder = tempFolder()
    const mark = folder.file('mark')
    plant(folder.file('planted'), mark)
    const inner = folder.file('planted/docs')
    const options = {
      folder: existsSync(inner) ? inner : folder.file('planted'),
      timeoutMs: 30_000,
    }
    for (const args of [
      ['ls-files', '--cached', '--others'],
      ['rev-list', '--count', 'HEAD'],
      ['fetch', 'origin'],
    ])
      await runGit(args, options).catch(() => '')
    expect(existsSync(mark)).toBe(false)
  },
)

it('fails where a program needs longer than it may', async () => {
  const folder = tempFolder().path
  const args = ['-c', 'alias.wait=!exec sleep 60', 'wait']
  await expect(runGit(args, { folder, timeoutMs: 200 })).rejects.toThrow('Command failed')
})
