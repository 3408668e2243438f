import { symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { aFolder, aProject, git } from '../../../../test/support/code-project.ts'
import { listFiles } from './list-files.ts'

const FILES = {
  'a.md': '',
  '.github/hidden.md': '',
  'build/tracked.md': '',
  'build/new.md': '',
  'deep/er/draft.md': '',
  'deep/er/kept.draft.md': '',
  'deep/er/.gitignore': '!kept.draft.md\n',
  'node_modules/x/readme.md': '',
  'private.md': '',
  'spaß/é.md': '',
  '.portolanignore': 'a.md\n',
  '.gitignore': 'build/\n*draft.md\n/deep/er/only.md\n',
}

function aRepository(): string {
  const root = aProject(FILES)
  git(root, 'init', '-q')
  git(root, 'add', '-f', 'a.md', 'build/tracked.md')
  git(root, 'commit', '-qm', 'all')
  aProject({ '.git/info/exclude': 'private.md\n', 'deep/er/only.md': '' }, root)
  return root
}

/** What git itself lists; it leaves out nested repositories but for their names. */
const listedByGit = (root: string) =>
  git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    .split('\0')
    .filter((path) => path !== '' && !path.endsWith('/'))
    .toSorted()

const listed = async (root: string) =>
  (await listFiles(root)).files.map((file) => relative(root, file)).toSorted()

it('lists the files that git lists, in the whole repository and in its folders', async () => {
  const root = aRepository()
  const inner = aProject({ 'inner.md': '' }, join(root, 'other'))
  git(inner, 'init', '-q')
  for (const folder of ['', 'deep', 'deep/er', 'spaß', '.github'])
    expect(await listed(join(root, folder))).toEqual(listedByGit(join(root, folder)))
  expect((await listFiles(root)).left).toEqual(
    expect.arrayContaining([
      { location: join(root, 'build/new.md'), reason: 'ignored by git' },
      { location: join(root, 'deep/er/draft.md'), reason: 'ignored by git' },
      { location: join(root, 'private.md'), reason: 'ignored by git' },
      { location: join(root, 'other'), reason: 'another repository' },
    ]),
  )
})

it('lists the files of a linked working tree, and those behind a link to a folder', async () => {
  const root = aRepository()
  const worktree = join(aFolder(), 'tree')
  git(root, 'worktree', 'add', '-q', '-b', 'other', worktree)
  aProject({ 'new.md': '', 'private.md': '', '.gitignore': 'build/\n' }, worktree)
  expect(await listed(worktree)).toEqual(listedByGit(worktree))
  const link = join(aFolder(), 'link')
  symlinkSync(join(root, 'deep'), link)
  expect(await listed(link)).toEqual(await listed(join(root, 'deep')))
})

it('lists a folder outside a repository without what is hidden or built', async () => {
  const root = aProject(FILES)
  expect(await listed(root)).toEqual([
    'a.md',
    'deep/er/draft.md',
    'deep/er/kept.draft.md',
    'private.md',
    'spaß/é.md',
  ])
})
