import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aProject, git } from '../../../test/support/code-project.ts'
import { indexedFile } from './tracked-files.ts'

const idOf = (text: string, algorithm = 'sha1') => ({
  id: createHash(algorithm).update(`blob ${text.length}\0${text}`).digest('hex'),
})

function aRepository(...format: string[]) {
  const root = aProject({ 'one.json': 'one', 'config/two.json': 'two', 'new.json': 'new' })
  git(root, 'init', '-q', ...format)
  git(root, 'add', 'one.json', 'config')
  return { root, look: (path: string) => indexedFile(join(root, path)) }
}

describe('what the index of git says of a file', () => {
  it.each(['2', '3', '4'])('is the id of its content there, in version %s', (version) => {
    const { root, look } = aRepository()
    execFileSync('git', ['-C', root, 'update-index', '--index-version', version])
    writeFileSync(join(root, 'one.json'), 'edited')
    expect(look('one.json')).toEqual(idOf('one'))
    expect(look('config/two.json')).toEqual(idOf('two'))
    expect(look('new.json')).toBe('untracked')
  })

  it('is an id of 64 digits in a repository that has these', () => {
    expect(aRepository('--object-format=sha256').look('one.json')).toEqual(idOf('one', 'sha256'))
  })

  it('is nothing without a repository, or before anything is added', () => {
    const root = aProject({ 'one.json': 'one' })
    expect(indexedFile(join(root, 'one.json'))).toBe('untracked')
    git(root, 'init', '-q')
    expect(indexedFile(join(root, 'one.json'))).toBe('untracked')
  })

  it('cannot be said while git changes files', () => {
    const { root, look } = aRepository()
    writeFileSync(join(root, '.git/index.lock'), '')
    expect(look('one.json')).toBe('changing')
  })

  it('cannot be said of a conflict, of a split index, and of an index that is damaged', () => {
    const { root, look } = aRepository()
    git(root, 'update-index', '--split-index')
    git(root, 'add', 'new.json')
    expect(look('one.json')).toBe('unknown')
    git(root, 'update-index', '--no-split-index')
    const { id } = idOf('one')
    const stages = [1, 2, 3].map((stage) => `100644 ${id} ${stage}\tone.json`).join('\n')
    execFileSync('git', ['-C', root, 'update-index', '--force-remove', 'one.json'])
    execFileSync('git', ['-C', root, 'update-index', '--index-info'], { input: `${stages}\n` })
    expect(look('one.json')).toBe('unknown')
    writeFileSync(join(root, '.git/index'), 'none of this is an index')
    expect(look('one.json')).toBe('unknown')
  })
})
